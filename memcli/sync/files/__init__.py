"""The folder of a sync and the files in it, its key among them."""
