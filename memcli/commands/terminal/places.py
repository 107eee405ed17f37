"""Places of stores as a command line parameter: a file path or a database address."""

from __future__ import annotations

from typing import Any

from typer.models import TyperPath

from memcli.config.location import Location, read_location


class PlaceType(TyperPath):
    """A parameter type for a path or a database address; completed like a path."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the location. Raises what `read_location` does, which quotes no address."""
        place: Location = read_location(value) if isinstance(value, str) else value
        return place
