import numpy as np
import pytest

from runglass.reductions.blas import find_openblas, one_thread


def test_one_thread_and_then_as_many_as_before():
    found = find_openblas()
    if found is None:
        pytest.skip("NumPy has another library than OpenBLAS here")
    get, put = found
    usual = get()
    put(2)
    try:
        with one_thread():
            assert get() == 1
            with one_thread():
                assert get() == 1
            assert get() == 1
        assert get() == 2
        with pytest.raises(np.linalg.LinAlgError), one_thread():
            np.linalg.inv(np.zeros((2, 2)))
        assert get() == 2
    finally:
        put(usual)


def test_another_library_is_left_alone(monkeypatch):
    monkeypatch.setattr("runglass.reductions.blas.find_openblas", lambda: None)
    with one_thread():
        np.testing.assert_array_equal(np.linalg.eigh(np.eye(3))[0], np.ones(3))
