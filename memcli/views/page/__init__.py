"""One HTML file that shows memories and asks no network: texts are data in it, never markup."""
