"""One verb a file: parse, open, one call on the domain, print. Nothing here asks the store."""
