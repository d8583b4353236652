"""One embedding: vectors, labels, pictures and bookmarks, from the files of a run or from bytes that a user dropped."""

from __future__ import annotations

from collections.abc import Sequence

from runglass.errors import RunglassError
from runglass.query.embeddings.checkpoints import open_checkpoint
from runglass.query.embeddings.files import AssetContent, identity_of
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.formats.vectors import Vectors, read_vectors
from runglass.query.embeddings.listing import Entry, entry_assets, list_entries, split_step, steps_of
from runglass.query.embeddings.logged_pictures import find_pictures
from runglass.query.embeddings.metadata import make_metadata, parse_metadata
from runglass.query.embeddings.model import Embedding, EmbeddingDamaged, EmbeddingUnknown, Metadata, Sprite
from runglass.query.embeddings.sprites import SpriteSheet
from runglass.query.source import DataSource
from runglass.store.model import Asset, Family

MAX_METADATA_BYTES = 1 << 30
# They may hold the positions of all points.
MAX_BOOKMARKS_BYTES = 256 << 20


def read_embedding(source: DataSource, run: str, name: str, step: int | None = None) -> Embedding:
    """The embedding at a step, by default the last. A name of PyTorch's config ("digits:00005") means one step too."""
    return read_entry(source, find_entry(source, run, name, step))


def find_entry(source: DataSource, run: str, name: str, step: int | None = None) -> Entry:
    return pick_step(*find_entries(source, run, name, step))


def find_entries(source: DataSource, run: str, name: str, step: int | None) -> tuple[list[Entry], int | None]:
    """The entries of an embedding by step, and the step that is meant."""
    embeddings = {entries[0].name: entries for entries in list_entries(source, run)}
    if name not in embeddings and step is None:
        name, step = split_step(name)
    entries = embeddings.get(name)
    if entries is None:
        known = ", ".join(repr(each) for each in list(embeddings)[:10])
        which = f"no embedding {name!r}, only {known}" if known else "no embedding"
        raise EmbeddingUnknown(f"Run {run!r} has {which}.", where=name)
    return entries, step


def pick_step(entries: Sequence[Entry], step: int | None) -> Entry:
    """The last without a step."""
    if step is None:
        return entries[-1]
    found = next((entry for entry in entries if entry.step == step), None)
    if found is None:
        steps = ", ".join(map(str, steps_of(entries)[:10]))
        has = f"no step {step}, only {steps}" if steps else "no steps"
        raise EmbeddingUnknown(f"Embedding {entries[0].name!r} has {has}.", where=entries[0].name)
    return found


def read_entry(source: DataSource, entry: Entry) -> Embedding:
    if entry.problem is not None:
        raise EmbeddingDamaged(entry.problem, where=entry.name)
    assets = entry_assets(source, entry)
    vectors = _read_vectors(source, entry, assets)
    problems = list(vectors.problems)
    shape = (vectors.matrix.rows, vectors.matrix.dimensions)
    if len(entry.shape) == 2 and entry.shape != shape:
        said, found = (" × ".join(f"{size:,}" for size in each) for each in (entry.shape, shape))
        problems.append(f"The config says that there are {said} numbers; {assets[0].name} has {found}.")
    named: dict[str, Asset] = {}
    paths = {
        "metadata": entry.metadata_path,
        "sprite": entry.sprite.path if entry.sprite else None,
        "bookmarks": entry.bookmarks_path,
    }
    for what, path in paths.items():
        if path is not None and entry.config is not None:
            try:
                named[what] = source.find_assets(entry.config, path, family=Family.VECTORS)[0]
            except RunglassError as error:
                problems.append(f"There are no {what}: {error.message}")
    files = [*assets, *named.values()]

    def load_metadata(rows: int) -> Metadata:
        return _load_metadata(source, named.get("metadata"), vectors, rows)

    def load_sprite(embedding: Embedding) -> Sprite | None:
        if entry.sprite is None:
            return find_pictures(source, entry.run, entry.step, embedding.metadata)
        if "sprite" not in named:
            return None
        return SpriteSheet(AssetContent(source, named["sprite"]), entry.sprite.tile, embedding.rows)

    def load_bookmarks() -> bytes | None:
        asset = named.get("bookmarks")
        return AssetContent(source, asset).read(0, MAX_BOOKMARKS_BYTES) if asset else None

    return Embedding(
        vectors.matrix,
        metadata=load_metadata,
        sprite=load_sprite,
        bookmarks=load_bookmarks,
        identity=identity_of(files),
        paths=[each.name for each in files],
        problems=problems,
    )


def _read_vectors(source: DataSource, entry: Entry, assets: Sequence[Asset]) -> Vectors:
    if entry.checkpoint is not None and entry.variable is not None:
        return Vectors(open_checkpoint(source, entry.checkpoint).matrix(entry.variable.name))
    return read_vectors(AssetContent(source, assets[0]), entry.name, entry.shape)


def _load_metadata(source: DataSource, asset: Asset | None, vectors: Vectors, rows: int) -> Metadata:
    own = make_metadata(vectors.columns, rows)
    if asset is None:
        return own
    try:
        content = AssetContent(source, asset)
        if content.size > MAX_METADATA_BYTES:
            raise EmbeddingDamaged(
                f"{asset.name} has {content.size:,} bytes, too many for labels.", where=asset.name
            )
        found = parse_metadata(asset.name, content.read(0, content.size), rows)
    except RunglassError as error:
        return Metadata(own.columns, own.next, (*own.problems, error.message))
    return found if found.columns else Metadata(own.columns, own.next, found.problems)


def read_file(
    name: str, data: bytes, labels: bytes | None = None, labels_name: str = "metadata.tsv"
) -> Embedding:
    """Files that belong to no run: vectors, and labels if there are some."""
    vectors = read_vectors(BytesContent(name, data), "", ())

    def load_metadata(rows: int) -> Metadata:
        if labels is None:
            return make_metadata(vectors.columns, rows)
        return parse_metadata(labels_name, labels, rows)

    return Embedding(vectors.matrix, metadata=load_metadata, paths=[name], problems=vectors.problems)
