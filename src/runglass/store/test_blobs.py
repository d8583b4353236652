from __future__ import annotations

from pathlib import Path

import pytest

from runglass.errors import ValueDamaged
from runglass.native.records import frame
from runglass.store.blobs import FOOTER_BYTES, HEADER_BYTES, Range, load_range, load_ranges

# The value ends with its record in the second one, and is followed by more in the first.
PAYLOADS = (b"head:first:tail", b"head:second")
SECOND_AT = HEADER_BYTES + len(PAYLOADS[0]) + FOOTER_BYTES
FIRST = Range(0, 5, 5)
SECOND = Range(SECOND_AT, 5, 6)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "events"
    path.write_bytes(b"".join(map(frame, PAYLOADS)))
    return path


def spoil(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


def test_values_inside_and_at_the_end_of_their_records(path):
    assert load_range(str(path), FIRST) == b"first"
    assert list(load_ranges(str(path), [SECOND, FIRST, SECOND])) == [b"second", b"first", b"second"]


def test_damage_costs_the_values_of_its_record_alone(path):
    # Not in the value itself: the checksum is that of the whole record.
    spoil(path, HEADER_BYTES)
    damaged, whole = load_ranges(str(path), [FIRST, SECOND])
    assert whole == b"second"
    assert isinstance(damaged, ValueDamaged)
    assert "byte 0: payload checksum 0x" in damaged.message
    with pytest.raises(ValueDamaged):
        load_range(str(path), FIRST)


@pytest.mark.parametrize("missing", [1, FOOTER_BYTES, FOOTER_BYTES + 1])
def test_a_record_that_was_cut(path, missing):
    data = path.read_bytes()
    path.write_bytes(data[:-missing])
    with pytest.raises(ValueDamaged, match=f"byte {SECOND_AT}: payload checksum"):
        load_range(str(path), SECOND)


@pytest.mark.parametrize("wanted", [Range(SECOND_AT + 100, 0, 1), Range(0, 14, 2), Range(3, 0, 1)])
def test_a_range_that_the_file_never_had(path, wanted):
    with pytest.raises(ValueDamaged, match="no longer there"):
        load_range(str(path), wanted)


def test_a_file_that_is_gone(path):
    path.unlink()
    found = list(load_ranges(str(path), [FIRST, SECOND]))
    assert [type(each) for each in found] == [ValueDamaged] * 2
    assert found[0].where == str(path)
