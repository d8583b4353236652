from typing import Any, Literal

from typing_extensions import Buffer

Scalar = Literal[
    "double",
    "float",
    "int32",
    "enum",
    "int64",
    "uint32",
    "uint64",
    "bool",
    "fixed32",
    "fixed64",
    "string",
    "bytes",
]
Key = Literal["string", "int32", "int64", "uint32", "uint64", "bool", "fixed32", "fixed64"]

class WireError(ValueError):
    offset: int
    def __init__(self, offset: int, what: str) -> None: ...

class Field:
    number: int
    name: str
    type: str | Message
    repeated: bool
    key: str | None
    oneof: str | None
    is_array: bool
    packed: bool
    def __init__(
        self,
        number: int,
        name: str,
        type: Scalar | Message,
        *,
        repeated: bool = False,
        key: Key | None = None,
        oneof: str | None = None,
        is_array: bool = False,
        packed: bool = True,
    ) -> None: ...

class Message:
    name: str
    fields: tuple[Field, ...]
    def __init__(self, name: str, *fields: Field) -> None: ...
    def define(self, *fields: Field) -> Message: ...

def decode(message: Message, data: Buffer) -> dict[str, Any]: ...
def encode(message: Message, values: dict[str, Any]) -> bytes: ...
