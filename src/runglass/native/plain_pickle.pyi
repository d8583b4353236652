from typing import Any

class PickleRefused(ValueError):
    offset: int
    def __init__(self, offset: int, what: str) -> None: ...

def load_plain(data: bytes) -> Any: ...
