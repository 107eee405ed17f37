"""NamedTuple: named tuples whose classes are created without compiling anything.

`typing.NamedTuple` compiles a `__new__` for each class and, without a future import, evaluates each
annotation: 0.05 to 0.1 ms a class. A recall creates 84 of them, 9 ms of its 170; with this module they take 1
(`docs/measured.md`). Creating an instance takes a little longer (0.28 instead of 0.22 µs, 0.9 instead of 0.3
by keywords). Type checkers see `typing.NamedTuple` itself. All its class attributes are provided except
`__orig_bases__`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - by this form mypy knows a name that others import
else:

    class _NamedTupleType(type):
        """Makes each annotated name of a class a field, in their order."""

        def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            body.setdefault("__slots__", ())
            # Present by the future import; without it, Python 3.14 keeps a function in the body instead.
            fields = tuple(body.get("__annotations__", ()))
            if fields:
                body["_field_defaults"] = {field: body[field] for field in fields if field in body}
                body["_fields"] = body["__match_args__"] = fields
                body.update((field, property(itemgetter(place))) for place, field in enumerate(fields))
            elif not any("_fields" in vars(base) for base in bases) and bases != (tuple,):
                raise TypeError(f"{name}: fields, and `from __future__ import annotations` in its module")
            return super().__new__(mcs, name, bases, body)

    class NamedTuple(tuple, metaclass=_NamedTupleType):
        """A tuple whose places have names; see `typing.NamedTuple`."""

        def __new__(cls, /, *values: Any, **named: Any) -> Any:
            """One with these values; defaults fill in what is not given. Raises TypeError."""
            if named or len(values) != len(cls._fields):
                values = _filled(cls, values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values: Any) -> Any:
            return cls(*values)

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, /, **changes: Any) -> Any:
            new = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise TypeError(f"{type(self).__name__} has no field {', '.join(map(repr, changes))}")
            return new

        __replace__ = _replace

        def __getnewargs__(self) -> tuple[Any, ...]:
            """Return the values that `copy` and `pickle` recreate it from."""
            return tuple(self)

        def __repr__(self) -> str:
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

    def _filled(cls: type[NamedTuple], values: tuple[Any, ...], named: dict[str, Any]) -> Sequence[Any]:
        fields, defaults = cls._fields, cls._field_defaults
        lacking = len(fields) - len(values)
        # Defaults are those of the last fields.
        if not named and 0 < lacking <= len(defaults):
            return values + tuple(defaults.values())[-lacking:]
        filled = list(values)
        for field in fields[len(values) :]:
            if field in named:
                filled.append(named.pop(field))
            elif field in defaults:
                filled.append(defaults[field])
            else:
                raise TypeError(f"{cls.__name__}() lacks {field!r}")
        if named or len(filled) > len(fields):
            raise TypeError(f"{cls.__name__}() takes {', '.join(fields)}, each once")
        return filled
