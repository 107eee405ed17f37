"""Page: one HTML file that shows memories without any network request; texts in it are data, never markup."""
