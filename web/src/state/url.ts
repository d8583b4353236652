// The whole view as text after the `#` of the address, and back. Pure: App.svelte reads and writes the address itself.

import type { XAxis } from "../api/types";
import { KEY_LENGTH, type RunKey, runKey } from "./run_key";
import { ALL, type Selection } from "./selection";

export type Theme = "system" | "light" | "dark";
export type Range = readonly [number, number];

export interface View {
  /** Name of the open dashboard; "" for the first that has data. */
  dashboard: string;
  runFilter: string;
  selection: Selection;
  tagFilter: string;
  smoothing: number;
  xAxis: XAxis;
  cutsOutliers: boolean;
  theme: Theme;
  collapsed: ReadonlySet<string>;
  logTags: ReadonlySet<string>;
  zooms: ReadonlyMap<string, Range>;
}

export const DEFAULT_VIEW: View = {
  dashboard: "",
  runFilter: "",
  selection: ALL,
  tagFilter: "",
  smoothing: 0.6,
  xAxis: "step",
  cutsOutliers: true,
  theme: "system",
  collapsed: new Set(),
  logTags: new Set(),
  zooms: new Map(),
};

export const SMOOTHING_MAX = 0.999;
export const X_AXES: readonly XAxis[] = ["step", "relative", "wall"];
const THEMES: readonly Theme[] = ["system", "light", "dark"];
// Above this many characters of names, runs are written as five-character keys.
const NAMES_BUDGET = 240;

/** `nameOf` gives readable names to selected runs; a key without one is written as the key. */
export function encodeView(view: View, nameOf: (key: RunKey) => string | undefined): string {
  const parts: string[] = [];
  const put = (key: string, value: string | number): void => void parts.push(`${key}=${escape(String(value))}`);
  if (view.runFilter) put("filter", view.runFilter);
  for (const value of encodeRuns(view.selection, nameOf)) put(view.selection.base === "none" ? "run" : "hide", value);
  if (view.tagFilter) put("tags", view.tagFilter);
  if (view.smoothing !== DEFAULT_VIEW.smoothing) put("smoothing", view.smoothing);
  if (view.xAxis !== DEFAULT_VIEW.xAxis) put("x", view.xAxis);
  if (!view.cutsOutliers) put("outliers", "shown");
  if (view.theme !== DEFAULT_VIEW.theme) put("theme", view.theme);
  for (const section of view.collapsed) put("shut", section);
  for (const tag of view.logTags) put("log", tag);
  for (const [tag, [low, high]] of view.zooms) put("zoom", `${low},${high},${tag}`);
  const query = parts.length > 0 ? `?${parts.join("&")}` : "";
  return view.dashboard || query ? `#/${escape(view.dashboard)}${query}` : "";
}

export function decodeView(hash: string): View {
  const [, path = "", query = ""] = /^#\/?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const params = new URLSearchParams(query);
  const smoothing = Number(params.get("smoothing") ?? DEFAULT_VIEW.smoothing);
  return {
    dashboard: unescape(path),
    runFilter: params.get("filter") ?? "",
    selection: decodeRuns(params),
    tagFilter: params.get("tags") ?? "",
    smoothing: Number.isFinite(smoothing) ? Math.min(Math.max(smoothing, 0), SMOOTHING_MAX) : DEFAULT_VIEW.smoothing,
    xAxis: X_AXES.find((x) => x === params.get("x")) ?? DEFAULT_VIEW.xAxis,
    cutsOutliers: params.get("outliers") !== "shown",
    theme: THEMES.find((theme) => theme === params.get("theme")) ?? DEFAULT_VIEW.theme,
    collapsed: new Set(params.getAll("shut")),
    logTags: new Set(params.getAll("log")),
    zooms: new Map(params.getAll("zoom").flatMap(decodeZoom)),
  };
}

function encodeRuns({ base, except }: Selection, nameOf: (key: RunKey) => string | undefined): string[] {
  if (except.size === 0) return base === "none" ? [""] : [];
  const keys = [...except];
  const names = keys.map(nameOf);
  const isReadable =
    names.every((name) => name !== undefined && name !== "" && !name.startsWith("~")) && names.join("").length <= NAMES_BUDGET;
  return isReadable ? (names as string[]) : [`~${keys.join("")}`];
}

function decodeRuns(params: URLSearchParams): Selection {
  const base = params.has("run") ? "none" : "all";
  const except = new Set<RunKey>();
  for (const value of params.getAll(base === "none" ? "run" : "hide")) {
    if (value.startsWith("~")) {
      for (let at = 1; at + KEY_LENGTH <= value.length; at += KEY_LENGTH) except.add(value.slice(at, at + KEY_LENGTH) as RunKey);
    } else if (value) {
      except.add(runKey(value));
    }
  }
  return { base, except };
}

function decodeZoom(text: string): [string, Range][] {
  const [, low, high, tag] = /^([^,]+),([^,]+),(.*)$/s.exec(text) ?? [];
  const range = [Number(low), Number(high)] as const;
  return tag !== undefined && range.every(Number.isFinite) && range[0] < range[1] ? [[tag, range]] : [];
}

/** As encodeURIComponent, but leaves what is harmless after a `#` readable. */
function escape(text: string): string {
  return encodeURIComponent(text).replace(/%(2F|2C|3A|40|24|7C)/g, (code) => decodeURIComponent(code));
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
