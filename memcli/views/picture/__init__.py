"""Pictures of the graph, drawn without another program: a layout, and writers of file formats."""
