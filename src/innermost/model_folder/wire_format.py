"""Read protobuf messages strictly: each field known, in bounds and in its shortest form.

Protobuf libraries are lenient. They skip unknown fields, merge a message that occurs twice, and
truncate numbers to 32 bits. A check that must agree with what such a library reads later has to
refuse all of that. Nothing is copied: strings and inner messages are views of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["integer", "enum", "float", "bytes", "integers", "floats"]
"""``bytes`` are strings and messages; the plurals are repeated numbers, packed or not."""

_VARINT, _FIXED32, _LENGTH = 0, 5, 2
_LONGEST_VARINT = 10
_SIGN, _MODULUS, _INT32 = 1 << 63, 1 << 64, 1 << 31
_LAST_TAG = (1 << 32) - 1


class WireError(ValueError):
    """Data that is not a valid message."""


class Field(NamedTuple):
    name: str
    kind: Kind
    repeated: bool = False
    """Whether it may occur more than once; repeated numbers always may."""


@dataclass(frozen=True)
class Schema:
    """The fields of one type of message, by number."""

    name: str
    fields: Mapping[int, Field]
    refused: Mapping[int, str]
    """Known fields that are not allowed, for a clear message."""


class Message:
    """The fields of a message; absent ones are 0, empty or an empty list."""

    def __init__(self, values: dict[str, list[int | memoryview]]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def integer(self, name: str) -> int:
        value = self._values.get(name, [0])[0]
        return value if isinstance(value, int) else 0

    def integers(self, name: str) -> list[int]:
        return [value for value in self._values.get(name, []) if isinstance(value, int)]

    def part(self, name: str) -> memoryview:
        return next(iter(self.parts(name)), memoryview(b""))

    def parts(self, name: str) -> list[memoryview]:
        return [value for value in self._values.get(name, []) if isinstance(value, memoryview)]

    def text(self, name: str) -> str:
        return _text(self.part(name), name)

    def texts(self, name: str) -> list[str]:
        return [_text(value, name) for value in self.parts(name)]


class WireReader:
    """Reads messages up to a total number of fields, which bounds the time it takes."""

    def __init__(self, fields: int) -> None:
        self._limit = self._left = fields

    def read(self, data: memoryview, schema: Schema) -> Message:
        values: dict[str, list[int | memoryview]] = {}
        position = 0
        while position < len(data):
            tag, position = self._varint(data, position)
            number, wire_type = tag >> 3, tag & 7
            field = schema.fields.get(number)
            if field is None or tag > _LAST_TAG:
                name = schema.refused.get(number, f"field {number}")
                raise WireError(f"{schema.name} has {name}, which is not allowed")
            seen = values.setdefault(field.name, [])
            if seen and not field.repeated and field.kind not in ("integers", "floats"):
                raise WireError(f"{schema.name} has {field.name} twice")
            position = self._value(data, position, wire_type, field, seen)
        return Message(values)

    def _value(
        self,
        data: memoryview,
        position: int,
        wire_type: int,
        field: Field,
        values: list[int | memoryview],
    ) -> int:
        """Append the value of the field; return where it ends."""
        if wire_type == _VARINT and field.kind in ("integer", "enum", "integers"):
            value, position = self._varint(data, position)
            values.append(_signed(value, field))
            return position
        if wire_type == _FIXED32 and field.kind in ("float", "floats"):
            end = self._skip(data, position, 4)
            values.append(data[position:end])
            return end
        if wire_type == _LENGTH and field.kind in ("bytes", "integers", "floats"):
            length, position = self._varint(data, position)
            end = self._skip(data, position, length)
            if field.kind == "bytes":
                values.append(data[position:end])
            elif field.kind == "integers":
                values.extend(self._packed(data[position:end], field))
            elif length % 4:
                raise WireError(f"{field.name} is cut short")
            return end
        raise WireError(f"{field.name} is of wire type {wire_type}")

    def _packed(self, data: memoryview, field: Field) -> Iterator[int]:
        position = 0
        while position < len(data):
            value, position = self._varint(data, position)
            yield _signed(value, field)

    def _skip(self, data: memoryview, position: int, length: int) -> int:
        if length > len(data) - position:
            raise WireError(f"it ends {length - len(data) + position} bytes too early")
        return position + length

    def _varint(self, data: memoryview, position: int) -> tuple[int, int]:
        """A number and where it ends."""
        self._left -= 1
        if self._left < 0:
            raise WireError(f"it has more than {self._limit} parts")
        if position < len(data) and (first := data[position]) < 0x80:
            return first, position + 1
        value = shift = 0
        for byte in data[position : position + _LONGEST_VARINT]:
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                if value >= _MODULUS or (byte == 0 and shift > 7):
                    raise WireError("a number is longer than it should be")
                return value, position + shift // 7
        raise WireError("a number is cut short or too long")


def _signed(value: int, field: Field) -> int:
    if field.kind == "enum" and value >= _INT32:
        raise WireError(f"{field.name} is {value}")
    return value - _MODULUS if value >= _SIGN else value


def _text(value: memoryview, name: str) -> str:
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError:
        raise WireError(f"{name} is not UTF-8") from None
