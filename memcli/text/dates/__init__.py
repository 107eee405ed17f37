"""The times that a text names: by the calendar, counted from an instant, or by an event. Those ahead in seven languages, others in English."""
