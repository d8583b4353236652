// Reads TensorBoard addresses, so that old links and bookmarks work when Runglass takes over the server. Pure.

import { runKey } from "../runs/run_key";
import { SMOOTHING_MAX, type Theme, type View } from "./view";

type Read = (text: string) => Partial<View>;

const DASHBOARDS: Readonly<Record<string, string>> = { timeseries: "scalars" };

function smoothing(text: string): Partial<View> {
  const amount = Number(text);
  if (text.trim() === "" || !Number.isFinite(amount)) return {};
  return { smoothing: { kind: "ema", amount: Math.min(Math.max(amount, 0), SMOOTHING_MAX) } };
}

/** Base64 of JSON, run → whether it is selected. Runs that it does not name are selected, as in TensorBoard. */
function selection(text: string): Partial<View> {
  const states = parseJson(decodeBase64(text));
  if (typeof states !== "object" || states === null) return {};
  const off = Object.entries(states).filter(([, isOn]) => isOn === false);
  return { selection: { base: "all", except: new Set(off.map(([run]) => runKey(run))) } };
}

function pinned(text: string): Partial<View> {
  const cards: unknown = parseJson(text);
  if (!Array.isArray(cards)) return {};
  const tags = cards.flatMap((card: unknown) => {
    const { plugin, tag } = (card ?? {}) as { plugin?: unknown; tag?: unknown };
    return plugin === "scalars" && typeof tag === "string" ? [tag] : [];
  });
  return tags.length > 0 ? { pinned: [...new Set(tags)] } : {};
}

function colorBy(text: string): Partial<View> {
  const [, pattern] = /^regex(?:_by_exp)?:([\s\S]+)$/.exec(text) ?? [];
  return pattern ? { colorBy: `regex:${pattern}` } : {};
}

function theme(text: string): Partial<View> {
  const themes: Record<string, Theme> = { true: "dark", false: "light" };
  const found = themes[text];
  return found ? { theme: found } : {};
}

const IN_HASH: Readonly<Record<string, Read>> = {
  tagFilter: (tagFilter) => ({ tagFilter }),
  regexInput: (runFilter) => ({ runFilter }),
  _smoothingWeight: smoothing,
  runSelectionState: selection,
};

const IN_QUERY: Readonly<Record<string, Read>> = {
  tagFilter: (tagFilter) => ({ tagFilter }),
  runFilter: (runFilter) => ({ runFilter }),
  smoothing,
  pinnedCards: pinned,
  runColorGroup: colorBy,
  darkMode: theme,
};

/** What `#scalars&tagFilter=…` says; null if the hash is not a TensorBoard one (ours begin with `#/`). */
export function readTensorBoardHash(hash: string): Partial<View> | null {
  const [name = "", ...parts] = hash.replace(/^#/, "").split("&");
  if (!/^[a-z][\w-]*$/i.test(name)) return null;
  let view: Partial<View> = { dashboard: DASHBOARDS[name] ?? name };
  for (const part of parts) {
    const equals = part.indexOf("=");
    const read = IN_HASH[part.slice(0, equals)];
    if (read) view = { ...view, ...read(unescape(part.slice(equals + 1))) };
  }
  return view;
}

/** What `?tagFilter=…` says, and the rest of the query: what is not understood stays in the address. */
export function readTensorBoardQuery(search: string): { view: Partial<View>; rest: string } {
  const params = new URLSearchParams(search);
  let view: Partial<View> = {};
  for (const [key, read] of Object.entries(IN_QUERY)) {
    const text = params.get(key);
    if (text === null) continue;
    view = { ...view, ...read(text) };
    params.delete(key);
  }
  const rest = params.toString();
  return { view, rest: rest ? `?${rest}` : "" };
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
