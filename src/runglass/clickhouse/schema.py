"""The tables, their versions, and the way from one version to the next.

Every row of `points` and `ranges` is determined by its file and its number in it, so that writing it twice changes nothing;
`parts` says how many of them count. See docs/decisions/0025-clickhouse.md.
"""

from __future__ import annotations

from runglass.clickhouse.client import Client, EngineError
from runglass.errors import RunglassError

# The statements that lead to each version, in order. A version that was released is never edited.
MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        # `exact` is 0 where the float32 in `value` is the value. Tags before runs: a chart is one tag of many runs.
        """CREATE TABLE IF NOT EXISTS {db}.point_rows (
            tag_id UInt64 CODEC(ZSTD(1)), run_id UInt64 CODEC(ZSTD(1)), file_id UInt64 CODEC(ZSTD(1)),
            row UInt32 CODEC(Delta, ZSTD(1)), step Int64 CODEC(Delta, LZ4), wall_time Float64 CODEC(Delta, ZSTD(1)),
            value Float32 CODEC(Delta, ZSTD(1)), exact Float64 CODEC(ZSTD(1))
        ) ENGINE = ReplacingMergeTree ORDER BY (tag_id, run_id, file_id, row)""",
        """CREATE TABLE IF NOT EXISTS {db}.range_rows (
            tag_id UInt64 CODEC(ZSTD(1)), run_id UInt64 CODEC(ZSTD(1)), file_id UInt64 CODEC(ZSTD(1)),
            row UInt32 CODEC(Delta, ZSTD(1)), step Int64 CODEC(Delta, LZ4), wall_time Float64 CODEC(Delta, ZSTD(1)),
            record UInt64 CODEC(Delta, ZSTD(1)), value_at UInt32 CODEC(ZSTD(1)), value_size UInt32 CODEC(ZSTD(1))
        ) ENGINE = ReplacingMergeTree ORDER BY (tag_id, run_id, file_id, row)""",
        # The rows of one series in one file: how many count, what attempts depend on, and exact statistics of the values.
        # `version` grows with the rows and the starts: what was read further replaces the other.
        """CREATE TABLE IF NOT EXISTS {db}.parts (
            tag_id UInt64, run_id UInt64, file_id UInt64, slot UInt8, version UInt64, count UInt64, is_wide UInt8,
            starts Array(Int64), first_step Int64, first_wall_time Float64, max_step Int64,
            last_step Int64, last_wall_time Float64, first_value Float64, last_value Float64,
            min_row Int64, min_value Float64, min_step Int64, max_row Int64, max_value Float64, max_value_step Int64,
            finite UInt64, total Float64, error Float64, nan_count UInt64, nan_first_step Int64,
            pos_inf_count UInt64, pos_inf_first_step Int64, neg_inf_count UInt64, neg_inf_first_step Int64
        ) ENGINE = ReplacingMergeTree(version) ORDER BY (tag_id, run_id, file_id)""",
        """CREATE TABLE IF NOT EXISTS {db}.series_rows (
            run_id UInt64, tag_id UInt64, tag String, slot UInt8, is_other UInt8, position UInt32, kind String, plugin String,
            display_name String, description String, content String,
            generation UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6)))
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY (run_id, tag_id)""",
        # The last row that is written of a change: servers poll it. `generation` is the clock of the database. `file_rows` is JSON.
        """CREATE TABLE IF NOT EXISTS {db}.run_rows (
            run_id UInt64, run String, is_removed UInt8, root String, directory String, tag_set UInt64, file_rows String,
            start_time Nullable(Float64), last_wall_time Nullable(Float64), series UInt64, points UInt64, files UInt64,
            size_bytes UInt64, health String, restarts UInt32, assets UInt64, asset_bytes UInt64, families Array(String),
            generation UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6)))
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY run_id""",
        # Of series with several attempts: the rows of each file, from one to before another, that are overwritten from a step on.
        """CREATE TABLE IF NOT EXISTS {db}.cut_rows (
            tag_id UInt64, run_id UInt64, cut_files Array(UInt64), begins Array(Int64), ends Array(Int64), limits Array(Int64),
            generation UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6)))
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY (tag_id, run_id)""",
        """CREATE TABLE IF NOT EXISTS {db}.asset_rows (
            run_id UInt64, assets String, generation UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6)))
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY run_id""",
        """CREATE TABLE IF NOT EXISTS {db}.hparam_rows (
            run_id UInt64, name String, value String, number Nullable(Float64), is_removed UInt8,
            generation UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6)))
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY (run_id, name)""",
        # Directories that cannot be listed.
        """CREATE TABLE IF NOT EXISTS {db}.location_rows (
            location String, unreadable String, generation UInt64 DEFAULT toUInt64(toUnixTimestamp64Micro(now64(6)))
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY location""",
        # What queries see.
        """CREATE OR REPLACE VIEW {db}.runs AS SELECT run, start_time, last_wall_time, series, points, files, size_bytes, health
        FROM {db}.run_rows FINAL WHERE NOT is_removed""",
        """CREATE OR REPLACE VIEW {db}.files AS SELECT run, JSONExtractString(file, 'shown') AS path,
            JSONExtractString(file, 'state') AS state, JSONExtractUInt(file, 'size_bytes') AS size_bytes,
            JSONExtractUInt(file, 'read_bytes') AS read_bytes, JSONExtractUInt(file, 'records') AS records,
            JSONExtractString(file, 'reason') AS reason
        FROM {db}.run_rows FINAL ARRAY JOIN JSONExtractArrayRaw(file_rows) AS file WHERE NOT is_removed""",
        """CREATE OR REPLACE VIEW {db}.series AS SELECT run, tag, kind, plugin, display_name, description, count
        FROM (SELECT run_id, tag_id, tag, kind, plugin, display_name, description FROM {db}.series_rows FINAL) AS s
        INNER JOIN (SELECT run_id, run FROM {db}.run_rows FINAL WHERE NOT is_removed) AS r USING run_id
        INNER JOIN (SELECT run_id, tag_id, sum(count) AS count FROM {db}.parts FINAL GROUP BY run_id, tag_id) AS p
        USING (run_id, tag_id)""",
        """CREATE OR REPLACE VIEW {db}.points AS SELECT run, tag, step, wall_time,
            if(exact != 0, exact, toFloat64(value_32)) AS value,
            toBool(arrayExists((f, b, e, l) -> f = file_id AND row >= b AND row < e AND step >= l, cut_files, begins, ends, limits))
                AS overwritten
        FROM (SELECT tag_id, run_id, file_id, row, step, wall_time, value AS value_32, exact FROM {db}.point_rows FINAL) AS v
        INNER JOIN (SELECT tag_id, run_id, file_id, count FROM {db}.parts FINAL) AS p USING (tag_id, run_id, file_id)
        INNER JOIN (SELECT run_id, tag_id, tag FROM {db}.series_rows FINAL) AS s USING (run_id, tag_id)
        INNER JOIN (SELECT run_id, run FROM {db}.run_rows FINAL WHERE NOT is_removed) AS r USING run_id
        LEFT JOIN (SELECT tag_id, run_id, cut_files, begins, ends, limits FROM {db}.cut_rows FINAL) AS c USING (tag_id, run_id)
        WHERE row < count""",
        """CREATE OR REPLACE VIEW {db}.hparams AS SELECT run, name, value, number
        FROM (SELECT run_id, name, value, number FROM {db}.hparam_rows FINAL WHERE NOT is_removed) AS h
        INNER JOIN (SELECT run_id, run FROM {db}.run_rows FINAL WHERE NOT is_removed) AS r USING run_id""",
    ),
}
VERSION = max(MIGRATIONS)


class SchemaNewer(RunglassError):
    """Tables of a later version of Runglass."""

    code = "schema_newer"
    http_status = 502


def read_version(client: Client) -> int:
    """0 if there are no tables."""
    db = client.address.database
    found = client.query(
        f"SELECT count() AS n FROM system.tables WHERE database = '{db}' AND name = 'schema_versions'"
    )
    if not int(found["n"][0]):
        return 0
    return int(client.query(f"SELECT max(version) AS version FROM {db}.schema_versions")["version"][0])


def check_version(client: Client) -> None:
    """Raise unless the tables are of this version."""
    version = read_version(client)
    if version == 0:
        raise RunglassError(
            f"{client.address.shown} has no runs yet. Bring some: runglass ingest LOGDIR --to {client.address.shown}.",
            where=client.address.shown,
        )
    _refuse_newer(client, version)
    if version < VERSION:
        raise RunglassError(
            f"{client.address.shown} has tables of version {version}, expected {VERSION}. The next runglass ingest --to it brings them "
            "up to date.",
            where=client.address.shown,
        )


def bring_up_to_date(client: Client) -> None:
    """Make the tables, or change those of an older version. Every statement may be repeated, so two programs may do it at once."""
    db = client.address.database
    client.command(f"CREATE DATABASE IF NOT EXISTS {db}")
    client.command(
        f"CREATE TABLE IF NOT EXISTS {db}.schema_versions (version UInt32, applied DateTime DEFAULT now()) "
        "ENGINE = ReplacingMergeTree ORDER BY version"
    )
    version = read_version(client)
    _refuse_newer(client, version)
    for number in range(version + 1, VERSION + 1):
        for statement in MIGRATIONS[number]:
            client.command(statement.replace("{db}", db))
        client.insert(f"{db}.schema_versions", ["version"], ["UInt32"], [[number]])


def _refuse_newer(client: Client, version: int) -> None:
    if version > VERSION:
        raise SchemaNewer(
            f"{client.address.shown} has tables of version {version}, and this Runglass knows them up to {VERSION}. Nothing was read or "
            "changed. Install a newer Runglass.",
            where=client.address.shown,
        )


def is_without_tables(error: EngineError) -> bool:
    return error.is_missing
