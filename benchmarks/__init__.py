"""What memcli costs and how well it finds: each module prints a table, none asserts."""
