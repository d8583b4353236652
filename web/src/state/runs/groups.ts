// Which runs belong together: by a hyperparameter, a pattern, a directory, or "the same except for the seed". For the
// bands of charts and for colours. Pure.

import { sharedFolders } from "../../base/shared_folders";
import type { GroupBy } from "../view/view";

export type HParamValue = number | string | boolean;
export type HParamsOfRuns = Readonly<Record<string, Readonly<Record<string, HParamValue>>>>;

export interface RunGroup {
  readonly label: string;
  readonly runs: readonly string[];
}

/** Runs without a group: the pattern does not match, the hyperparameter is missing, the path is shorter. */
export const UNGROUPED = "other";

/** Names come from logs: `constructor` is a name like any other. */
export function hparamOf(hparams: HParamsOfRuns, run: string, name: string): HParamValue | null {
  const own = Object.hasOwn(hparams, run) ? hparams[run] : undefined;
  return own && Object.hasOwn(own, name) ? (own[name] as HParamValue) : null;
}

/** Groups in the order of their first run. */
export function groupRuns(names: readonly string[], by: GroupBy, hparams: HParamsOfRuns): RunGroup[] {
  const label = labeler(by, hparams);
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const key = label(name) ?? UNGROUPED;
    const runs = groups.get(key);
    if (runs) runs.push(name);
    else groups.set(key, [name]);
  }
  return [...groups].map(([key, runs]) => ({ label: key, runs }));
}

/** The label of a run's group; null if it has none. */
export function labeler(by: GroupBy, hparams: HParamsOfRuns): (run: string) => string | null {
  if (by === "") return (run) => run;
  if (by === "config") return (run) => configLabel(run, hparams);
  const colon = by.indexOf(":");
  const rest = by.slice(colon + 1);
  switch (by.slice(0, colon)) {
    case "regex":
      return regexLabel(rest);
    case "hparam":
      return (run) => {
        const value = hparamOf(hparams, run, rest);
        return value === null ? null : `${rest}=${value}`;
      };
    default:
      return (run) => directoryLabel(run, Number(rest));
  }
}

/** The capture groups of a match, or "match" for a pattern without any. An invalid pattern matches nothing. */
function regexLabel(source: string): (run: string) => string | null {
  let regex: RegExp;
  try {
    regex = new RegExp(source);
  } catch {
    return () => null;
  }
  return (run) => {
    const found = regex.exec(run);
    if (!found) return null;
    const parts = found.slice(1).filter((part) => part !== undefined);
    return parts.length > 0 ? parts.join(" · ") : "match";
  };
}

/**
 * Level 1 is the first directory; a negative level counts from the end: -1 is the last part of the name. A run is
 * itself a directory.
 */
function directoryLabel(run: string, level: number): string | null {
  const parts = run.split("/");
  if (level < 0) return parts.at(level) ?? null;
  return level > 0 && parts.length >= level ? parts.slice(0, level).join("/") : null;
}

const SEED_NAME = /^(.*[^a-z])?(random_?)?(seed|rng|repeat|trial|replica|fold)s?([^a-z].*)?$/i;
const SEED_PART = /(^|[^a-z])((?:random_?)?(?:seed|rng|repeat|trial|replica|fold)s?)([-_=.:]?)\d+/gi;

/** Runs that differ in nothing else are repeats. */
export const isSeedName = (name: string): boolean => SEED_NAME.test(name);

/** The hyperparameters except those named like a seed; without hyperparameters, the name except for its seed. */
function configLabel(run: string, hparams: HParamsOfRuns): string {
  const own = Object.hasOwn(hparams, run) ? hparams[run] : undefined;
  if (own) {
    const kept = Object.entries(own).filter(([name]) => !isSeedName(name));
    // Train and validation of one run share a configuration but are not repeats of each other.
    const role = /(?:^|\/)(train|training|val|valid|validation|eval|test)$/i.exec(run)?.[1];
    const label =
      kept
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join(", ") || "no hyperparameters";
    return role ? `${label} · ${role}` : label;
  }
  return run.replace(SEED_PART, "$1$2$3*");
}

// Commas separate hyperparameters; a dot separates anything added to them.
const SEPARATOR = /(?:, | · )(?=[^ =]+=|[^=]*$)/;
const LEARNING_RATE = /^(?:.*[./])?(?:lr|learning_rate)$/i;

interface Part {
  /** "" for what is not a hyperparameter. */
  readonly name: string;
  readonly value: string;
}

function parsePart(text: string): Part {
  const equals = text.indexOf("=");
  return equals < 0 ? { name: "", value: text } : { name: text.slice(0, equals), value: text.slice(equals + 1) };
}

/**
 * Labels that say only what differs: "lr=0.0001, optimizer=adam, wd=0, batch=64" becomes "1e-4 · adam · wd 0" if the
 * batch size is the same in all groups; "sweep/a*" becomes "a*" if all are in that folder.
 */
export function shortenLabels(groups: readonly RunGroup[]): RunGroup[] {
  if (groups.length < 2) return [...groups];
  if (groups.every(({ label, runs }) => isName(label, runs))) {
    const shared = sharedFolders(groups.map(({ label }) => label));
    return groups.map((group) => ({ ...group, label: group.label.slice(shared) }));
  }
  const parts = groups.map(({ label, runs }) =>
    isName(label, runs) ? [{ name: "", value: label }] : label.split(SEPARATOR).map(parsePart),
  );
  const values = new Map<string, Set<string>>();
  const names = new Map<string, Set<string>>();
  for (const { name, value } of parts.flat()) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
    names.set(value, (names.get(value) ?? new Set()).add(name));
  }
  const isTelling = ({ name }: Part): boolean => name === "" || (values.get(name)?.size ?? 0) > 1;
  // Nobody takes "adam" for anything but the optimizer, or 1e-4 for anything but the learning rate.
  const speaksForItself = (name: string): boolean =>
    LEARNING_RATE.test(name) ||
    [...(values.get(name) ?? [])].every(
      (value) => /[a-z]{3}/i.test(value) && !isBoolean(value) && names.get(value)?.size === 1,
    );
  const bare = new Map([...values.keys()].map((name) => [name, name === "" || speaksForItself(name)]));
  const short = parts.map((each) =>
    each
      .filter(isTelling)
      .map(({ name, value }) => (bare.get(name) ? shortNumber(value) : `${name} ${shortNumber(value)}`))
      .join(" · "),
  );
  // Keep the long labels if the short ones would be empty or ambiguous.
  const isClear = short.every(Boolean) && new Set(short).size === short.length;
  return groups.map((group, i) => (isClear ? { ...group, label: short[i] ?? group.label } : group));
}

/** A run without hyperparameters has the name of its group, but for the seed: "lr=1/seed=*". */
const isName = (label: string, runs: readonly string[]): boolean => runs.includes(label) || label.includes("*");

const isBoolean = (text: string): boolean => text === "true" || text === "false";

/** 1e-4 for 0.0001; other texts stay as they are. */
function shortNumber(text: string): string {
  const number = Number(text);
  const size = Math.abs(number);
  if (text.trim() === "" || !Number.isFinite(number) || size === 0 || (size >= 0.01 && size < 1e6)) return text;
  return number.toExponential().replace("e+", "e");
}
