"""Exchange of a store's memories as a file: the format, the export, and the import with its checks."""
