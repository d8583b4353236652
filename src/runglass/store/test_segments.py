from __future__ import annotations

import pytest

from runglass.native.columns import Columns
from runglass.store.parts import FileStage, Part, Start, file_order
from runglass.store.segments import Segment, find_segments


def part(
    name: str, steps: list[int], *, starts: tuple[Start, ...] = (), first_wall_time: float = 0.0
) -> Part:
    """Rows a second apart, kept as byte ranges: those can be appended one by one."""
    columns = Columns()
    for index, step in enumerate(steps):
        columns.append_range(step, first_wall_time + index, 0, 0, 0)
    file = FileStage(name, name, name, max_wall_time=first_wall_time + len(steps) - 1)
    return Part(file, columns, starts)


def segments(*parts: Part, starts_elsewhere: tuple[tuple[str, int], ...] = ()) -> list[Segment]:
    return find_segments(parts, False, starts_elsewhere=starts_elsewhere)


def test_one_file_is_one_attempt_whatever_its_steps():
    assert segments(part("a", [3, 1, 2])) == [(0, None)]


def test_steps_that_fall_back_from_one_file_to_the_next():
    later = part("b", [2, 3, 4], first_wall_time=100.0)
    assert segments(part("a", [0, 1, 2, 3]), later) == [(0, None), (4, 2)]


def test_steps_that_go_on_in_the_next_file():
    assert segments(part("a", [0, 1]), part("b", [2, 3], first_wall_time=100.0)) == [(0, None)]


def test_files_that_overlap_in_time_have_two_writers():
    assert segments(part("a", [0, 1, 2]), part("b", [0, 1], first_wall_time=1.0)) == [(0, None)]


@pytest.mark.parametrize(("named", "first_step"), [(4, 4), (0, 6)])
def test_a_session_start_names_its_step_or_its_first_row_does(named, first_step):
    assert segments(part("a", [5, 6, 7], starts=((1, named),))) == [(0, None), (1, first_step)]


def test_starts_at_one_row_are_one_attempt_with_the_lowest_step():
    assert segments(part("a", [5, 6, 7], starts=((1, 6), (1, 3)))) == [(0, None), (1, 3)]


def test_only_rows_that_were_read_count():
    grown = part("a", [5, 6, 7], starts=((1, 6), (3, 2)))
    assert find_segments((grown,), False, [2]) == [(0, None), (1, 6)]


def test_a_start_in_another_file_falls_between_the_files_by_their_numbers():
    """The tenth file of a second comes after the third one, and before the eleventh."""
    parts = part("e.3", [0, 1, 2]), part("e.11", [9], first_wall_time=100.0)
    assert segments(*parts, starts_elsewhere=(("e.10", 1),)) == [(0, None), (3, 1)]
    assert segments(*parts, starts_elsewhere=(("e.2", 1),)) == [(0, None)]
    assert segments(*parts, starts_elsewhere=(("e.12", 1),)) == [(0, None), (4, 1)]


def test_files_are_ordered_by_their_numbers_and_no_two_names_are_equal():
    names = ["e.1.2", "e.1.10", "e.2.1", "e.02.1", "e.10", "f", "e", ""]
    ordered = ["", "e", "e.1.2", "e.1.10", "e.02.1", "e.2.1", "e.10", "f"]
    assert sorted(names, key=file_order) == ordered
    names.reverse()
    assert sorted(names, key=file_order) == ordered
