// What colours the points, and which of them it filters: a column of categories or numbers, clusters, or a measure of
// how points moved. Created in a component and ends with it.

import { untrack } from "svelte";
import type { Color } from "../../state/runs/colors";
import type { Settings } from "../../state/view/settings.svelte";
import type { Column, ColumnInfo } from "./answer";
import {
  binNumbers,
  colorNumbers,
  type Level,
  makeLegend,
  missingColor,
  asNumber,
  type NumberScale,
  paletteOf,
  scaleOf,
} from "./colors";
import { type Columns, countLevels } from "./columns.svelte";
import { colorOption, levelsOff, rangeOption, setColorOption, setLevelsOff, setRange } from "./options";
import type { ClusterNames } from "./scene/cloud.svelte";

/** Numbers about points that no file has, such as how far they moved. */
export interface Measure {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** One per row; NaN: none. */
  readonly numbers: Float64Array;
}

export type ColorBy =
  | { readonly kind: "none" }
  | { readonly kind: "column"; readonly column: string }
  | { readonly kind: "clusters" }
  | { readonly kind: "measure"; readonly measure: string };

/** As the address has it. */
export const colorId = (by: ColorBy): string =>
  by.kind === "column" ? `:${by.column}` : by.kind === "measure" ? `~${by.measure}` : by.kind;
export function readColor(id: string): ColorBy | null {
  if (id.startsWith(":")) return { kind: "column", column: id.slice(1) };
  if (id.startsWith("~")) return { kind: "measure", measure: id.slice(1) };
  return id === "none" || id === "clusters" ? { kind: id } : null;
}

/** What the legend shows of categories, and of numbers. */
export type Shown =
  | {
      readonly kind: "categories";
      readonly codes: Int32Array;
      readonly levels: readonly string[];
      readonly legend: readonly Level[];
      readonly missing: number;
    }
  | {
      readonly kind: "numbers";
      readonly numbers: Float64Array;
      readonly scale: NumberScale;
      readonly bins: Uint32Array;
    };

const BINS = 32;
/** More names of categories would say nothing. */
const MAX_NAMES = 40;

interface Of {
  readonly settings: Settings;
  readonly theme: () => keyof Color;
  readonly columns: Columns;
  readonly count: () => number;
  /** The server's choice. */
  readonly usual: () => string | null;
  readonly measures: () => readonly Measure[];
  /** Null: not known yet. */
  readonly clusters: () => { readonly codes: Int32Array; readonly names: readonly string[] } | null;
}

export class Coloring {
  constructor(private readonly of: Of) {
    // Outside: the server.
    $effect.pre(() => {
      const { by } = this;
      void of.columns.infos;
      untrack(() => by.kind === "column" && of.columns.want(by.column));
    });
  }

  readonly by = $derived.by((): ColorBy => {
    const { settings, columns, usual, measures } = this.of;
    const chosen = readColor(colorOption(settings));
    const isThere =
      chosen?.kind === "column"
        ? columns.info(chosen.column) !== null
        : chosen?.kind === "measure"
          ? measures().some(({ id }) => id === chosen.measure)
          : chosen !== null;
    if (chosen && isThere) return chosen;
    const column = usual();
    return column === null ? { kind: "none" } : { kind: "column", column };
  });
  readonly info = $derived.by((): ColumnInfo | null =>
    this.by.kind === "column" ? this.of.columns.info(this.by.column) : null,
  );
  readonly label = $derived.by((): string => {
    const { by } = this;
    if (by.kind === "column") return by.column;
    if (by.kind === "measure") return this.of.measures().find(({ id }) => id === by.measure)?.label ?? "";
    return by.kind;
  });

  readonly #values = $derived.by((): Column | null => {
    const { by, info } = this;
    if (by.kind === "measure") {
      const numbers = this.of.measures().find(({ id }) => id === by.measure)?.numbers;
      return numbers ? { name: by.measure, type: "number", numbers } : null;
    }
    if (by.kind === "clusters") {
      const clusters = this.of.clusters();
      return clusters && { name: "clusters", type: "category", codes: clusters.codes, levels: clusters.names };
    }
    const column = by.kind === "column" ? this.of.columns.get(by.column) : null;
    if (column?.type !== "number" || !info?.is_categorical || !column.codes) return column;
    return { name: column.name, type: "category", codes: column.codes, levels: column.levels ?? [] };
  });

  /** Null: one colour for all, or not loaded yet. */
  readonly shown = $derived.by((): Shown | null => {
    const values = this.#values;
    const theme = this.of.theme();
    if (!values) return null;
    if (values.type === "number") {
      const scale = scaleOf(values.numbers);
      return (
        scale && { kind: "numbers", numbers: values.numbers, scale, bins: binNumbers(values.numbers, scale, BINS) }
      );
    }
    const { codes, levels } = values;
    const counts = countLevels(codes, levels.length);
    const missing = counts.reduce((rest, count) => rest - count, codes.length);
    return { kind: "categories", codes, levels, legend: makeLegend(levels, counts, theme), missing };
  });

  /** 0xRRGGBB per row; null: one colour for all. */
  readonly colors = $derived.by((): Uint32Array | null => {
    const { shown } = this;
    const theme = this.of.theme();
    const count = this.of.count();
    if (!shown) return null;
    if (shown.kind === "numbers")
      return shown.numbers.length === count ? colorNumbers(shown.numbers, shown.scale, theme) : null;
    if (shown.codes.length !== count) return null;
    const palette = paletteOf(shown.legend, shown.levels.length, theme);
    const missing = asNumber(missingColor(theme));
    return Uint32Array.from(shown.codes, (code) => (code < 0 ? missing : (palette[code] ?? missing)));
  });

  /** Names of the categories, for the places where their points lie; null: there are too many, or none. */
  readonly clusterNames = $derived.by((): ClusterNames | null => {
    const { shown } = this;
    if (shown?.kind !== "categories" || shown.legend.length > MAX_NAMES || this.by.kind === "clusters") return null;
    return { codes: shown.codes, names: shown.levels.map((name) => ({ name })) };
  });
  /** The categories name what is drawn: clusters need no names of their own. */
  readonly hasNames = $derived.by(() => {
    const { info } = this;
    return info !== null && info.is_categorical && info.distinct <= MAX_NAMES;
  });

  readonly off = $derived.by((): ReadonlySet<string> => new Set(levelsOff(this.of.settings)));
  readonly range = $derived.by(() => rangeOption(this.of.settings));
  /** 1: filtered out by the legend. Null: none is. */
  readonly filtered = $derived.by((): Uint8Array | null => {
    const { shown, off, range } = this;
    if (shown?.kind === "categories" && off.size > 0) {
      const isOff = shown.levels.map((level) => off.has(level));
      return Uint8Array.from(shown.codes, (code) => (isOff[code] ? 1 : 0));
    }
    if (shown?.kind === "numbers" && range)
      return Uint8Array.from(shown.numbers, (value) => (value >= range[0] && value <= range[1] ? 0 : 1));
    return null;
  });

  /** The colour of a row in lists, as text. */
  colorOf(row: number): string | null {
    const color = this.colors?.[row];
    return color === undefined ? null : `#${color.toString(16).padStart(6, "0")}`;
  }

  /** The group that a row is in, with its colour; null: rows have numbers, or there are no colours. */
  levelOf(row: number): Level | null {
    const { shown } = this;
    if (shown?.kind !== "categories") return null;
    const code = shown.codes[row] ?? -1;
    return shown.legend.find((level) => level.code === code) ?? null;
  }

  choose(by: ColorBy): void {
    setColorOption(this.of.settings, colorId(by));
  }

  toggle(level: string): void {
    const off = new Set(this.off);
    if (!off.delete(level)) off.add(level);
    setLevelsOff(this.of.settings, [...off]);
  }

  /** None is filtered out. */
  showLevels(): void {
    setLevelsOff(this.of.settings, []);
  }

  /** This one alone; once more: all again. */
  only(level: string): void {
    const { shown, off } = this;
    if (shown?.kind !== "categories") return;
    const others = shown.legend.map(({ name }) => name).filter((name) => name !== level);
    const isAlone = !off.has(level) && others.every((name) => off.has(name));
    setLevelsOff(this.of.settings, isAlone ? [] : others);
  }

  setRange(range: readonly [number, number] | null): void {
    setRange(this.of.settings, range);
  }
}
