"""The tables: how an older file gets them, what a row says as a noun of the model, and its digest."""
