from __future__ import annotations

import io
import os
import zipfile

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from runglass.native.tsv import count_rows, parse_rows
from runglass.query.embeddings.formats import memory, tsv
from runglass.query.embeddings.formats.numbers import Variable
from runglass.query.embeddings.formats.snappy import SnappyError, decompress
from runglass.query.embeddings.listing import KERAS_NAME, _find_variable, list_embeddings
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown
from runglass.query.embeddings.read import read_embedding, read_file
from runglass.query.memory import MemorySource
from runglass.reader import open_log
from runglass.store.model import Family

VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
TEXT = "".join("\t".join(map(str, row)) + "\n" for row in VECTORS.tolist()).encode()


def source_of(config: str, **files: bytes) -> MemorySource:
    """Names of files with "_" for "."."""
    source = MemorySource().add_asset("run", Family.PROJECTOR, "projector_config.pbtxt", config.encode())
    for name, data in files.items():
        source.add_asset("run", Family.VECTORS, name.replace("_", "."), data)
    return source


def read_only(config: str, **files: bytes):
    source = source_of(config, **files)
    (info,) = list_embeddings(source)
    return read_embedding(source, "run", info.name)


def npy(array, **options) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz(save=np.savez, **arrays) -> bytes:
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def parquet(**options) -> bytes:
    file = io.BytesIO()
    table = pyarrow.table(options)
    pyarrow.parquet.write_table(table, file, row_group_size=2)
    return file.getvalue()


FORMATS = {
    "tsv": TEXT,
    "csv": TEXT.replace(b"\t", b","),
    "windows": b"\xef\xbb\xbf" + TEXT.replace(b"\n", b"\r\n"),
    "blank lines": b"\n" + TEXT.replace(b"\n", b"\n\n"),
    "npy": npy(VECTORS),
    "npy of doubles": npy(VECTORS.astype(np.float64)),
    "npy of big-endian halves": npy(VECTORS.astype(">f2")),
    "npy by columns": npy(np.asfortranarray(VECTORS)),
    "npz": npz(emb=VECTORS, other=np.zeros(3)),
    "compressed npz": npz(np.savez_compressed, emb=VECTORS, small=np.zeros((1, 2))),
    "parquet of lists": parquet(vector=list(VECTORS)),
    "parquet of columns": parquet(**{f"d{at}": VECTORS[:, at] for at in range(3)}),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(name):
    data = FORMATS[name]
    dropped = read_file("vectors", data)
    assert np.array_equal(dropped.vectors(), VECTORS)
    config = 'embeddings { tensor_path: "v.x" }'
    (info,) = list_embeddings(source_of(config, v_x=data))
    assert (info.name, info.steps, info.rows, info.dimensions, info.problem) == ("v.x", (), 4, 3, None)
    found = read_only(config, v_x=data)
    assert np.array_equal(found.vectors(), VECTORS)
    assert found.vectors().dtype == np.float32
    for start, stop in ((0, 1), (1, 3), (3, 99), (2, 2), (-5, 2)):
        assert np.array_equal(found.vectors(start, stop), VECTORS[max(0, start) : stop])
    assert (found.problems, found.paths, found.metadata.columns) == ((), ("v.x",), {})


def test_raw_numbers_need_a_shape():
    raw = VECTORS.astype("<f4").tobytes()
    config = 'embeddings { tensor_path: "v.bin" tensor_shape: 4 tensor_shape: 3 }'
    assert np.array_equal(read_only(config, v_bin=raw).vectors(), VECTORS)
    for shape, problem in (
        ("", "need a tensor_shape"),
        ("tensor_shape: 4", "not [4]"),
        ("tensor_shape: [4, 4]", "has 48 bytes; 4 × 4 numbers of float32 have 64"),
    ):
        source = source_of(f'embeddings {{ tensor_path: "v.bin" {shape} }}', v_bin=raw)
        (info,) = list_embeddings(source)
        assert info.problem is not None
        assert problem in info.problem
        with pytest.raises(EmbeddingDamaged):
            read_embedding(source, "run", "v.bin")


def test_a_shape_that_is_not_that_of_the_file():
    found = read_only('embeddings { tensor_path: "v.tsv" tensor_shape: [9, 3] }', v_tsv=TEXT)
    assert found.rows == 4
    assert found.problems == ("The config says that there are 9 × 3 numbers; v.tsv has 4 × 3.",)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "v.x is empty"),
        (b"\n\n", "v.x is empty"),
        (b"hello\n", "no vectors"),
        (b"1\t2\n3\n", "v.x, line 2: it has 1 cell where the first has 2"),
        (b"1\t2\n\n3\t4\t5\n", "v.x, line 3: it has 3 cells where the first has 2"),
        (b"1\t2\n3\tx\n", "v.x, line 2: 'x' is not a number"),
        (b"1\t2\n3\t1_0\n", "'1_0' is not a number"),
        (npy(np.zeros((2, 2, 2))), "of shape [2, 2, 2]"),
        (npy(np.zeros((2, 2), "c8")), "<c8 of shape"),
        (npy(np.array([[{}]], object), allow_pickle=True), "|O of shape"),
        (npy(np.zeros(3, [("a", "f4")])), "records with fields"),
        (npy(VECTORS)[:-4], "cut short"),
        (npy(VECTORS)[:20], "cut short"),
        (npz(a=np.array(["x"])), "no matrix of numbers"),
        (npz(a=VECTORS)[:-30], "not an archive"),
        (parquet(words=["a", "b"]), "no column of lists"),
        (parquet(vector=[[1.0, 2.0], [3.0]]), "not all of its vectors have 2 numbers"),
        (b"PAR1\0nonsense", "cannot be read as Parquet"),
        (b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0", "v.x"),
        (b"\x00\x01\x02" * 7, "need a tensor_shape"),
    ],
)
def test_files_that_are_no_vectors(data, problem):
    source = source_of('embeddings { tensor_path: "v.x" }', v_x=data)
    # Listing does not fail, and may not notice.
    (info,) = list_embeddings(source)
    with pytest.raises(EmbeddingDamaged) as caught:
        read_embedding(source, "run", "v.x").vectors()
    assert problem in caught.value.message
    assert info.problem in (None, caught.value.message)


def test_words_beside_the_numbers():
    headed = read_only('embeddings { tensor_path: "v.tsv" }', v_tsv=b"x\ty\n1\t2\n3\t4\n")
    assert headed.vectors().tolist() == [[1, 2], [3, 4]]
    assert headed.problems == ("v.tsv begins with a header (x, y), where none belongs. It is left out.",)
    labelled = read_file("v.tsv", b"cat\t1\t2\ndog\t3\t4\n")
    assert labelled.vectors().tolist() == [[1, 2], [3, 4]]
    assert labelled.metadata.columns["label"].values == ["cat", "dog"]
    assert read_file("v.txt", b"1 inf\n2 nan\n").rows == 2
    word2vec = read_file("v.txt", b"2 3\ncat 1 2 3\ndog 4 5 6\n")
    assert word2vec.vectors().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert word2vec.metadata.columns["label"].values == ["cat", "dog"]


def test_labels_beside_the_vectors():
    words = np.array(["a", "", "c", "d"])
    found = read_file("v.npz", npz(vectors=VECTORS, word=words, rank=np.arange(4), bias=np.zeros(3)))
    columns = {name: column.values for name, column in found.metadata.columns.items()}
    assert columns == {"word": ["a", None, "c", "d"], "rank": ["0", "1", "2", "3"]}
    found = read_file("v.parquet", parquet(vector=list(VECTORS), word=["a", None, "c", "d"], n=[1, 2, 3, 4]))
    columns = {name: column.values for name, column in found.metadata.columns.items()}
    assert columns == {"word": ["a", None, "c", "d"], "n": ["1", "2", "3", "4"]}
    # Labels that are cut short do not take the vectors with them.
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("vectors.npy", npy(VECTORS))
        archive.writestr("word.npy", npy(words).replace(b"<U1", b"<U9"))
    found = read_file("v.npz", file.getvalue())
    assert np.array_equal(found.vectors(), VECTORS)
    assert "array 'word' cannot be read" in found.problems[0]
    # A file of labels says more.
    found = read_file("v.tsv", TEXT, b"w\tx\ty\tz\n", "labels.tsv")
    assert found.problems[0].startswith("labels.tsv has 0 labels and there are 4 vectors")


def test_numbers_that_are_not_finite_stay():
    found = read_file("v.tsv", b"nan\t1\ninf\t-Infinity\n1e999\t1e-50\n").vectors()
    assert np.array_equal(found, [[np.nan, 1], [np.inf, -np.inf], [np.inf, 0]], equal_nan=True)
    assert np.isinf(read_file("v.npy", npy(np.array([[1e300]]))).vectors()[0, 0])


def test_one_row_and_one_dimension():
    assert read_file("v.tsv", b"1\t2").vectors().tolist() == [[1, 2]]
    assert read_file("v.tsv", b"1\n2\n").vectors().tolist() == [[1], [2]]
    assert read_file("v.npy", npy(np.arange(3.0))).vectors().tolist() == [[0], [1], [2]]


def test_text_is_parsed_in_blocks(monkeypatch):
    """Lines that begin in one block and end in the next, in several threads."""
    monkeypatch.setattr(tsv, "BLOCK_BYTES", 50)
    numbers = np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32)
    text = "\n".join("\t".join(repr(float(x)) for x in row) for row in numbers).encode()
    assert np.array_equal(read_file("v.tsv", text).vectors(), numbers)
    lines = text.split(b"\n")
    lines[149] = b"7"
    with pytest.raises(EmbeddingDamaged, match=r"v\.tsv, line 150: it has 1 cell"):
        read_file("v.tsv", b"\n".join(lines))


def test_every_number_is_the_nearest_float32():
    rng = np.random.default_rng(0)
    near = rng.normal(size=3000).astype(np.float32)
    # Just between two numbers, where the last digits decide.
    middle = (near.astype(np.float64) + np.nextafter(near, np.float32(9))) / 2
    texts = [repr(float(x)) for x in near] + [f"{x:.30f}" for x in middle] + [f"{x:.17g}" for x in middle]
    texts += [f"{x:.25e}" for x in rng.normal(size=3000) * 10.0 ** rng.integers(-45, 39, 3000)]
    texts += [
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "1e5",
        "1E-5",
        "16777217",
        "3.4028236e38",
        "1e-46",
        "0" * 400 + "1",
    ]
    data = "\n".join(texts).encode()
    found = np.empty((len(texts), 1), np.float32)
    assert count_rows(data) == len(texts)
    assert parse_rows(data, 9, 0, found) == -1
    with np.errstate(over="ignore"):
        expected = np.array(list(map(float, texts))).astype(np.float32)
    assert np.array_equal(found[:, 0].view(np.uint32), expected.view(np.uint32))


def test_text_that_does_not_fit_into_memory(monkeypatch):
    monkeypatch.setattr(memory, "read_memory_bytes", lambda: 48)
    with pytest.raises(EmbeddingDamaged, match=r"hold 2 vectors. Write them as .npy"):
        read_file("v.tsv", TEXT)
    # In parts it fits.
    assert read_file("v.npy", npy(VECTORS)).vectors(0, 1).shape == (1, 3)


CONFIG = """
embeddings { tensor_name: "e:00005" tensor_path: "5.tsv" metadata_path: "old.tsv" }
embeddings { tensor_name: "e:00010" tensor_path: "10.tsv" }
embeddings { tensor_name: "plain:0" tensor_path: "5.tsv" }
embeddings { tensor_name: "e:00005" tensor_path: "5.tsv" metadata_path: "m.tsv"
             sprite { image_path: "s.png" single_image_dim: 2 } bookmarks_path: "b.json" }
"""


def test_names_and_steps_of_a_config():
    files = {"5.tsv": TEXT, "10.tsv": b"1\t2\n", "m.tsv": b"a\nb\nc\nd\n", "b.json": b"[]"}
    source = source_of(CONFIG)
    for name, data in files.items():
        source.add_asset("run", Family.VECTORS, name, data)
    infos = {info.name: info for info in list_embeddings(source)}
    assert list(infos) == ["plain", "e"]
    assert (infos["e"].steps, infos["e"].rows, infos["e"].paths) == ((5, 10), 1, ("10.tsv",))
    assert infos["plain"].steps == ()
    assert read_embedding(source, "run", "e").rows == 1
    # Of two blocks with one name, the last is meant.
    fifth = read_embedding(source, "run", "e", 5)
    assert fifth.metadata.columns["label"].values == ["a", "b", "c", "d"]
    assert fifth.bookmarks == b"[]"
    assert fifth.sprite is None
    assert [problem[:9] for problem in fifth.problems] == ["There are"]
    assert [each[:2] for each in fifth.identity] == [["run", name] for name in ("5.tsv", "m.tsv", "b.json")]
    for name, step, problem in (
        ("e", 7, "no step 7, only 5, 10"),
        ("plain", 1, "has no steps"),
        ("other", None, "no embedding 'other', only 'e', 'plain'"),
    ):
        with pytest.raises(EmbeddingUnknown, match=problem):
            read_embedding(source, "run", name, step)


@pytest.mark.parametrize(
    ("config", "name", "problem"),
    [
        ("embeddings {", "projector_config.pbtxt", "line 1"),
        ('embeddings { tensor_path: "gone.tsv" }', "gone.tsv", "no such file"),
        ('embeddings { tensor_path: "../other/v.tsv" }', "v.tsv", "outside the run"),
        ('embeddings { tensor_path: "/etc/passwd" }', "passwd", "outside the run"),
        ('embeddings { tensor_name: "x" }', "x", "no checkpoint beside the config"),
        ('embeddings { metadata_path: "m.tsv" }', "projector_config.pbtxt", "no checkpoint with a matrix"),
        ('model_checkpoint_path: "gone" embeddings { tensor_name: "x" }', "x", "no such file"),
    ],
)
def test_configs_that_lead_nowhere(config, name, problem):
    source = source_of(config)
    (info,) = list_embeddings(source)
    assert info.name == name
    assert info.problem is not None
    assert problem in info.problem
    with pytest.raises(Exception, match=r".") as caught:
        read_embedding(source, "run", name)
    assert caught.value.http_status in (403, 404, 422)


def test_a_file_outside_the_run_is_refused(tmp_path):
    (tmp_path / "secret.tsv").write_bytes(TEXT)
    for run, path in (
        ("up", "../../secret.tsv"),
        ("absolute", str(tmp_path / "secret.tsv")),
        ("link", "l.tsv"),
    ):
        folder = tmp_path / "logs" / run
        folder.mkdir(parents=True)
        (folder / "v.tsv").write_bytes(TEXT)
        (folder / "projector_config.pbtxt").write_text(
            f'embeddings {{ tensor_path: "{path}" }} '
            f'embeddings {{ tensor_name: "own" tensor_path: "v.tsv" metadata_path: "{path}" }}'
        )
    os.symlink(tmp_path / "secret.tsv", tmp_path / "logs/link/l.tsv")
    log = open_log(tmp_path / "logs")
    infos = list_embeddings(log.source)
    assert len(infos) == 6
    for info in infos:
        if info.name == "own":
            assert not info.has_metadata
            found = read_embedding(log.source, info.run, "own")
            assert found.metadata.columns == {}
            assert "outside the run's directory" in found.problems[0]
        else:
            assert "outside the run's directory" in (info.problem or "")


def test_snappy():
    # A literal, then a copy that overlaps what it makes, then one from further back.
    assert decompress(b"\x0d\x08abc\x15\x03\x02\x0c\x00", 100) == b"abcabcabc" + b"abca"
    for data in (b"", b"\x05\x08ab", b"\x09\x08abc\x15\x04", b"\x03\x08abcd\x00e", b"\xff\xff\xff\x7f\x00a"):
        with pytest.raises(SnappyError):
            decompress(data, 100)


def test_layers_of_keras_behind_one_name():
    """Its callback writes the same name for every embedding layer."""
    names = [
        "layers/dense/vars/0",
        "layers/embedding_10/vars/0",
        "layers/embedding_2/vars/0",
        "layers/embedding/vars/0",
    ]
    variables = [Variable(name, "float32", (9, 3)) for name in (*names, "optimizer/embedding/vars/0")]
    taken: set[str] = set()
    found = []
    for _ in range(4):
        variable = _find_variable(variables, KERAS_NAME, taken)
        assert variable is not None
        taken.add(variable.name)
        found.append(variable.name.split("/")[1])
    assert found == ["embedding", "embedding_2", "embedding_10", "embedding_10"]
    exact = Variable(KERAS_NAME, "float32", (9, 3))
    assert _find_variable([*variables, exact], KERAS_NAME, taken) == exact
    assert _find_variable(variables, "other", set()) is None
    other = Variable("layer_with_weights-1/embeddings/.ATTRIBUTES/VARIABLE_VALUE", "float32", (9, 3))
    assert _find_variable([other], KERAS_NAME, set()) == other
