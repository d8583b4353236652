// What a card requests from the server, from its tags and the settings of the page. Pure.

import type { RunGroup } from "../state/runs/groups";
import { hashName } from "../state/runs/run_key";
import type { Panel, Range, ScaleKind, Smoothing, View } from "../state/view/view";
import type { CardSpec, Question } from "./card_model";
import { detailFor } from "./detail_range";
import type { RunSet } from "../cards/run_sets";

// With more lines, raw lines are a grey haze that costs as much as the lines themselves.
export const MAX_RAW_RUNS = 30;
const QUANTILE = 0.25;
const CONFIDENCE = 0.95;

export interface Asking {
  readonly spec: CardSpec;
  readonly runs: RunSet;
  /** All runs of the server, so none needs to be named. */
  readonly isAllRuns: boolean;
  /** Null: one line per run. */
  readonly groups: readonly RunGroup[] | null;
  readonly x: string;
  readonly xScale: ScaleKind;
  readonly zoom: Range | null;
  readonly widthPx: number;
  readonly smoothing: Smoothing;
  readonly view: Pick<View, "showsRaw" | "showsEarlier" | "center" | "spread">;
  /** Counts servers, whose answers are unrelated. */
  readonly epoch: number;
}

export function makeQuestion({
  spec,
  runs,
  isAllRuns,
  groups,
  x,
  xScale,
  zoom,
  widthPx,
  smoothing,
  view,
  epoch,
}: Asking): Question {
  const crowd = crowding(groups ? groups.length : runs.names.length * spec.tags.length);
  const { range, width } = detailFor(zoom, widthPx, xScale, crowd > 1);
  const isSmoothed = smoothing.amount > 0;
  const tags = [...spec.tags];
  const plot = {
    x,
    x_scale: xScale,
    smoothing: isSmoothed ? smoothing : { kind: "none" as const, amount: 0 },
    attempts: "latest" as const,
  };
  const stretch = {
    x_range: range ? ([range[0], range[1]] as [number, number]) : null,
    width: Math.ceil(width / crowd),
  };
  const stretchKey = JSON.stringify([range, width]);
  const unsmoothedKey = JSON.stringify([
    groups !== null,
    tags,
    x,
    xScale,
    view.showsEarlier,
    epoch,
    runs.key,
    stretchKey,
  ]);
  const common = { runs, range, x, isSmoothed, smoothing, stretchKey, unsmoothedKey };
  const keys = (how: string): Pick<Question, "key" | "plotKey" | "batchKey"> => {
    const batchKey = `${how} ${runs.key} ${stretchKey}`;
    return { batchKey, plotKey: `${JSON.stringify(tags)} ${how}`, key: `${JSON.stringify(tags)} ${batchKey}` };
  };
  if (groups) {
    const { center, spread } = view;
    const how = { ...plot, center, spread, quantile: QUANTILE, confidence: CONFIDENCE };
    const members = groups.flatMap(({ label, runs: names }) => {
      const having = names.filter(runs.has);
      return having.length > 0 ? [{ name: label, runs: having }] : [];
    });
    const name = JSON.stringify([how, hashName(JSON.stringify(members)), epoch]);
    return { ...common, ...keys(name), body: { kind: "bands", query: { tags, ...how, ...stretch, groups: members } } };
  }
  const raw = isSmoothed && view.showsRaw && runs.names.length <= MAX_RAW_RUNS;
  const how = { ...plot, raw, earlier: view.showsEarlier };
  const query = { tags, ...how, ...stretch, raw_suffices: raw, ...(!isAllRuns && { runs: [...runs.names] }) };
  return { ...common, ...keys(JSON.stringify([how, epoch])), body: { kind: "lines", query } };
}

/** In a crowd, fewer pixel columns look the same, because each keeps its first, last, lowest and highest point. */
const crowding = (lines: number): number => (lines > 100 ? 5 : lines > 30 ? 2 : 1);

/** The tags that an expression reads, or the tag itself. */
export function tagsIn(tag: string): string[] {
  if (!tag.startsWith("=")) return [tag];
  return Array.from(tag.matchAll(/\{((?:[^\\}]|\\.)*)\}/gs), ([, inside = ""]) => inside.replace(/\\(.)/gs, "$1"));
}

/** A tag as an expression writes it. */
export const quoteTag = (tag: string): string => `{${tag.replace(/[\\}]/g, "\\$&")}}`;

/** What the card with this id shows. */
export const specOf = (id: string, panels: ReadonlyMap<string, Panel>): CardSpec =>
  panels.get(id) ?? { id, tags: [id], right: [] };

/** The title of a card. */
export const titleOf = (spec: CardSpec): string => spec.tags.map((tag) => tag.replace(/^=\s*/, "")).join(" · ");
