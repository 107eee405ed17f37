"""The times that a text names: by the calendar, counted from an instant, or by an event. English."""
