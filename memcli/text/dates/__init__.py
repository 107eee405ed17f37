"""The times that a text names: by the calendar, from an instant on or by an event. English, but those ahead."""
