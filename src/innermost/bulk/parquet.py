"""Parquet: rows as Arrow tables, so that other columns keep their types; nested output columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from innermost.bulk.blocks import Block
from innermost.bulk.rejects import Reject, too_long
from innermost.bulk.settings import Settings
from innermost.bulk.shards import Shard, no_text_column
from innermost.document import Document
from innermost.errors import DataError, MissingExtraError
from innermost.files.tables import ENTITY_COLUMNS

if TYPE_CHECKING:
    import pyarrow

ENTITIES = "entities"
_SOME_ROWS = 256
"""Rows read at a time: one row may be large."""


def arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "frames", error.name) from None
    return pyarrow


def entities_type() -> pyarrow.DataType:
    """The type of the column ``entities``, the same in every file."""
    pa = arrow()
    types = [(name, pa.type_for_alias(kind)) for name, kind in ENTITY_COLUMNS.items()]
    return pa.list_(pa.struct(types))


def check_parquet(shard: Shard, settings: Settings) -> None:
    """Raise an error unless the file has a column of texts."""
    pa = arrow()
    try:
        schema = pa.parquet.read_schema(shard.path)
    except (pa.ArrowException, OSError):
        return  # A damaged file is a reject and does not stop the run.
    if settings.text_column not in schema.names:
        raise no_text_column(shard, settings, schema.names)
    kind = schema.field(settings.text_column).type
    if not _is_text(kind):
        raise DataError(
            f"the column {settings.text_column!r} contains {kind}, not texts",
            path=shard.path,
            hint=f"choose a column with --text-column; the columns are: {', '.join(schema.names)}",
        )


def parquet_blocks(shard: Shard, settings: Settings) -> Iterator[Block]:
    """The blocks of a file. If it is damaged, the rest of it is one reject."""
    pa = arrow()
    number, row = 0, 0
    try:
        file = pa.parquet.ParquetFile(shard.path)
        total = max(file.metadata.num_rows, 1)
        waiting: list[Any] = []
        size = 0
        for batch in file.iter_batches(min(_SOME_ROWS, settings.block_rows), use_threads=False):
            waiting.append(batch)
            row += batch.num_rows
            size += batch.column(settings.text_column).nbytes
            rows = sum(part.num_rows for part in waiting)
            if size >= settings.block_bytes or rows + _SOME_ROWS > settings.block_rows:
                yield _block(number, row - rows, waiting, settings, row / total)
                number, waiting, size = number + 1, [], 0
        if waiting:
            yield _block(
                number, row - sum(part.num_rows for part in waiting), waiting, settings, 1.0
            )
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        lost = Reject(row + 1, None, f"the rest of the file is lost: {reason}")
        yield Block(number, rejects=[lost], position=1.0)


def _block(
    number: int, first: int, batches: list[Any], settings: Settings, position: float
) -> Block:
    pa = arrow()
    table = pa.Table.from_batches(batches).combine_chunks()
    ids = _ids(table, settings)
    damaged = _damaged(table)
    texts = table.column(settings.text_column)
    lengths = pa.compute.binary_length(texts).to_pylist()
    block = Block(number, position=position)
    kept: list[int] = []
    for index, length in enumerate(lengths):
        if index in damaged:
            reason = damaged[index]
        elif length is None:
            reason = "the text is null"
        elif length > settings.max_row_bytes:
            reason = too_long(settings.max_row_bytes)
        else:
            kept.append(index)
            continue
        block.rejects.append(Reject(first + index + 1, ids[index], reason))
    block.columns = table if len(kept) == table.num_rows else table.take(kept)
    block.rows = [first + index + 1 for index in kept]
    block.ids = [ids[index] for index in kept]
    block.texts = block.columns.column(settings.text_column).to_pylist()
    return block


def _ids(table: Any, settings: Settings) -> list[Any]:
    """Ids as they are if texts or numbers; of other types, as strings."""
    if settings.id_column not in table.column_names:
        return [None] * table.num_rows
    ids: list[Any] = []
    for value in table.column(settings.id_column):
        try:
            id = value.as_py()
        except UnicodeDecodeError:
            id = None
        ids.append(id if id is None or isinstance(id, (str, int)) else str(id))
    return ids


def _damaged(table: Any) -> dict[int, str]:
    """The rows with a text that is not UTF-8, in any column."""
    if _is_valid(table):
        return {}
    return {
        index: "not UTF-8"
        for index in range(table.num_rows)
        # Taking a row copies it, so that no other row is validated.
        if not _is_valid(table.take([index]))
    }


def _is_valid(table: Any) -> bool:
    try:
        table.validate(full=True)
    except arrow().ArrowException:
        return False
    return True


def _is_text(kind: Any) -> bool:
    types = arrow().types
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind))


def predicted_table(columns: Any, documents: Sequence[Document]) -> pyarrow.Table:
    """The rows of a block with their entities."""
    pa = arrow()
    table = columns if isinstance(columns, pa.Table) else _table(columns)
    entities = [[entity.to_dict() for entity in document.entities] for document in documents]
    if ENTITIES in table.column_names:
        table = table.drop_columns([ENTITIES])
    return table.append_column(
        pa.field(ENTITIES, entities_type()), pa.array(entities, entities_type())
    )


def row_dicts(columns: Any) -> list[dict[str, Any]]:
    """The rows of a block for JSON lines."""
    return columns if isinstance(columns, list) else columns.to_pylist()


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    """Rows of JSON or CSV as a table. A column of mixed types becomes text."""
    pa = arrow()
    names = dict.fromkeys(name for row in rows for name in row if name != ENTITIES)
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        plain = [msgspec.json.decode(v) if isinstance(v, msgspec.Raw) else v for v in values]
        try:
            columns[name] = pa.array(plain)
        except (pa.ArrowException, OverflowError):
            columns[name] = pa.array([_as_text(value) for value in plain])
    return pa.table(columns)


def _as_text(value: Any) -> str | None:
    """A string as it is, anything else as JSON, whichever values share a block."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def unified(schemas: Sequence[Any]) -> Any:
    """One schema for the parts of a shard; a column of incompatible types becomes text."""
    pa = arrow()
    fields: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            known = fields.get(field.name, field)
            try:
                merged = pa.unify_schemas(
                    [pa.schema([known]), pa.schema([field])], promote_options="permissive"
                ).field(0)
            except pa.ArrowException:
                merged = pa.field(field.name, pa.string())
            fields[field.name] = merged
    entities = fields.pop(ENTITIES)
    # A column without values has no type yet.
    settled = [
        pa.field(field.name, pa.string()) if pa.types.is_null(field.type) else field
        for field in fields.values()
    ]
    metadata = (
        schemas[0].metadata if all(s.metadata == schemas[0].metadata for s in schemas) else None
    )
    return pa.schema([*settled, entities], metadata=metadata)


def fitted(table: Any, schema: Any) -> Any:
    """A table with the columns of a schema, in its order."""
    pa = arrow()
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
            continue
        column = table.column(field.name)
        if column.type != field.type and pa.types.is_string(field.type):
            column = pa.chunked_array(
                [pa.array([_as_text(value) for value in column.to_pylist()], pa.string())]
            )
        columns.append(column.cast(field.type))
    return pa.Table.from_arrays(columns, schema=schema)
