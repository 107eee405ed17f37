"""Dates in texts: days by the calendar, times relative to an instant, and times named by an event.

Days ahead are read in seven languages, all else in English.
"""
