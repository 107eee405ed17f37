"""Agenda answers: events, due dates and open promises in order, each with the later note that updates it."""
