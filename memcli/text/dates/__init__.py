"""The times that a text names: by the calendar, from an instant, or by an event. English, but those ahead."""
