"""Pictures of the graph, drawn without another program: a layout, and what writes it down."""
