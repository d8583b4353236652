"""The key of a job, and how results are encoded."""

from __future__ import annotations

import re

from msgspec import Struct

from runglass.jobs.context import Encoded, encode
from runglass.jobs.test_works import Question, add_up, fail, make
from runglass.jobs.work import make_id


class Named(Struct, frozen=True):
    by_name: dict[str, int]


def test_a_job_is_named_by_work_question_and_content():
    work, question = make(add_up), Question(steps=3)
    same = make_id(make(add_up), Question(steps=3), ("run", 5))
    assert make_id(work, question, ("run", 5)) == same
    assert re.fullmatch("[0-9a-f]{32}", same)
    others = {
        make_id(make(fail), question, ("run", 5)),
        make_id(work, Question(steps=4), ("run", 5)),
        make_id(work, question, ("run", 6)),
    }
    assert len(others | {same}) == 4


def test_the_order_of_names_changes_no_key():
    work = make(add_up, question=Named)
    assert make_id(work, Named({"a": 1, "b": 2}), {"x": 1, "y": 2}) == make_id(
        work, Named({"b": 2, "a": 1}), {"y": 2, "x": 1}
    )


def test_a_name_that_is_no_text_has_a_key():
    assert make_id(make(add_up), Question(folder="\udcff"), ["\udcfe"])


def test_bytes_stay_bytes_and_the_rest_is_json():
    assert encode(b"\x00\xff") == Encoded(b"\x00\xff", is_json=False)
    assert encode(memoryview(bytearray(b"ab"))) == Encoded(b"ab", is_json=False)
    assert encode(Named({"a": 1})) == Encoded(b'{"by_name":{"a":1}}', is_json=True)
    assert encode({"text": "\udcff"}) == Encoded(b'{"text":"\\udcff"}', is_json=True)
