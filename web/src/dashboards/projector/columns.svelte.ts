// The columns of metadata: loaded when somebody needs them, and edited in the page where the user tags points.

import type { Client } from "../../api/client";
import type { About, Column, ColumnInfo, EmbeddingRef } from "./answer";
import { loadColumn, loadTexts } from "./ask";

export type Cell = string | number | null;

export function cellOf(column: Column, row: number): Cell {
  if (column.type === "number") {
    const value = column.numbers[row];
    return value === undefined || Number.isNaN(value) ? null : value;
  }
  const code = column.codes[row] ?? -1;
  return code < 0 ? null : (column.levels[code] ?? null);
}

/** How many rows have each level. */
export function countLevels(codes: Int32Array, levels: number): Uint32Array {
  const counts = new Uint32Array(levels);
  for (const code of codes) if (code >= 0 && code < levels) counts[code] = (counts[code] as number) + 1;
  return counts;
}

/** The same column with another value in some rows; numbers become categories. */
export function editColumn(name: string, column: Column | null, count: number, rows: Int32Array, text: string): Column {
  const texts = new Map<string, number>();
  const levels: string[] = [];
  const codeOf = (level: string): number => {
    let code = texts.get(level);
    if (code === undefined) {
      code = levels.length;
      levels.push(level);
      texts.set(level, code);
    }
    return code;
  };
  const codes = new Int32Array(count).fill(-1);
  if (column && column.type !== "number") {
    column.levels.forEach(codeOf);
    codes.set(column.codes.subarray(0, count));
  } else if (column)
    for (let row = 0; row < count; row++) {
      const cell = cellOf(column, row);
      if (cell !== null) codes[row] = codeOf(String(cell));
    }
  const code = text === "" ? -1 : codeOf(text);
  for (const row of rows) codes[row] = code;
  return { name, type: "category", codes, levels };
}

interface Of {
  readonly client: Client;
  readonly embedding: () => EmbeddingRef | null;
  /** Changes when what was loaded is old. */
  readonly key: () => string;
  readonly about: () => About | null;
  readonly onerror: (cause: unknown) => void;
}

const MAX_KEPT = 24;

export class Columns {
  /** Raw, as both: replaced, never edited. By name, with the key that they were loaded for. */
  #loaded = $state.raw<ReadonlyMap<string, { readonly key: string; readonly column: Column }>>(new Map());
  /** Those that the user edited; they last as long as the page. */
  #edited = $state.raw<ReadonlyMap<string, Column>>(new Map());
  readonly #loading = new Map<string, Promise<Column>>();

  #hasEnded = false;

  /** Created in a component and ends with it. */
  constructor(private readonly of: Of) {
    $effect(() => () => (this.#hasEnded = true));
  }

  readonly edited = $derived.by((): ReadonlyMap<string, Column> => this.#edited);

  /** All that can be shown, those of the user last. */
  readonly infos = $derived.by((): readonly ColumnInfo[] => {
    const listed = this.of.about()?.columns ?? [];
    const all = listed.map((info) => {
      const edited = this.#edited.get(info.name);
      return edited ? infoOf(edited) : info;
    });
    const names = new Set(listed.map(({ name }) => name));
    return [...all, ...[...this.#edited.values()].filter(({ name }) => !names.has(name)).map(infoOf)];
  });

  info(name: string | null): ColumnInfo | null {
    return this.infos.find((info) => info.name === name) ?? null;
  }

  /** Of this embedding, or of the one before while it is loading; null: not there. Loads nothing. */
  get(name: string | null): Column | null {
    if (name === null) return null;
    return this.#edited.get(name) ?? this.#loaded.get(name)?.column ?? null;
  }

  /** Of this embedding and no other. */
  load(name: string): Promise<Column> {
    const edited = this.#edited.get(name);
    if (edited) return Promise.resolve(edited);
    const key = this.of.key();
    const loaded = this.#loaded.get(name);
    if (loaded?.key === key) return Promise.resolve(loaded.column);
    const id = `${key} ${name}`;
    let loading = this.#loading.get(id);
    if (!loading) {
      const embedding = this.of.embedding();
      if (!embedding) return Promise.reject(new Error("There is no embedding."));
      loading = loadColumn(this.of.client, embedding, name).then((column) => {
        if (!this.#hasEnded && this.of.key() === key) {
          const kept = [...this.#loaded].filter(([other]) => other !== name).slice(-MAX_KEPT);
          this.#loaded = new Map([...kept, [name, { key, column }]]);
        }
        return column;
      });
      this.#loading.set(id, loading);
      const forget = (): void => void this.#loading.delete(id);
      loading.then(forget, forget);
    }
    return loading;
  }

  /** Loads in the background; errors are told. */
  want(name: string | null): void {
    if (name !== null && this.of.embedding()) this.load(name).catch(this.of.onerror);
  }

  /** What rows have in a column, as texts; a row without a value gives its number. */
  async texts(name: string | null, rows: readonly number[]): Promise<readonly string[]> {
    if (name === null) return rows.map(String);
    const column = this.get(name);
    if (column) return rows.map((row) => cellText(cellOf(column, row)) ?? String(row));
    const embedding = this.of.embedding();
    if (!embedding) return rows.map(String);
    const texts = await loadTexts(this.of.client, embedding, name, rows);
    return rows.map((row, i) => texts[i] ?? String(row));
  }

  /** Gives these rows a value in a column, which may be new; "": no value. */
  async edit(name: string, rows: Int32Array, text: string): Promise<void> {
    const count = this.of.about()?.rows ?? 0;
    const isKnown = this.infos.some((info) => info.name === name);
    const before = isKnown ? await this.load(name) : null;
    this.#edited = new Map([...this.#edited, [name, editColumn(name, before, count, rows, text)]]);
  }

  /** Another embedding: nothing of the last one means anything. */
  forget(): void {
    this.#loaded = new Map();
    this.#edited = new Map();
  }
}

export const cellText = (cell: Cell): string | null =>
  cell === null ? null : typeof cell === "number" ? String(Number(cell.toPrecision(6))) : cell;

function infoOf(column: Column): ColumnInfo {
  const isNumber = column.type === "number";
  let missing = 0;
  if (!isNumber) for (const code of column.codes) missing += code < 0 ? 1 : 0;
  return {
    name: column.name,
    type: column.type,
    distinct: isNumber ? 0 : column.levels.length,
    missing,
    is_categorical: !isNumber,
    is_logged: false,
    min: null,
    max: null,
  };
}
