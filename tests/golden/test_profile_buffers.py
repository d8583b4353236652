"""Buffers of XLA's programs in real profiles: allocations of the compiler, and what their instructions keep there."""

from __future__ import annotations

import pytest
from tests.support.profiles import golden_path, load_profile

from runglass.query.profiles.analysis.buffers import NO_PROGRAMS, buffers


@pytest.mark.parametrize("case", ["jax_profile", "jax_profile_gpu"])
def test_what_is_in_an_allocation_fits_into_it(case):
    found = buffers(load_profile(golden_path(case, ".xplane.pb")))
    assert found.notes == []
    assert all(row.offset_bytes + row.bytes <= row.allocation_bytes for row in found.rows)
    assert all(row.instruction and row.program for row in found.rows)
    sizes = [row.allocation_bytes for row in found.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert {"parameter", "output", "temporary"} <= {row.kind for row in found.rows}


def test_the_temporary_memory_of_a_step():
    found = buffers(load_profile(golden_path("jax_profile_gpu", ".xplane.pb"))).rows
    assert (found[0].program, found[0].kind, found[0].allocation_bytes) == (
        "jit_st(5966)",
        "temporary",
        3_145_728,
    )
    assert (found[0].instruction, found[0].category, found[0].bytes) == (
        "gemm_fusion_dot.3",
        "custom fusion",
        2_097_152,
    )
    # Two that are not alive at once share a place.
    assert [row.instruction for row in found[:2]] == ["gemm_fusion_dot.3", "gemm_fusion_dot_general.5"]
    assert {row.offset_bytes for row in found[:2]} == {0}


def test_a_profile_without_programs_says_so():
    assert buffers(load_profile(golden_path("keras_callback_profile", ".xplane.pb"))).notes == [NO_PROGRAMS]
