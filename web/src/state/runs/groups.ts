// Which runs belong together: by a hyperparameter, a pattern, a directory, or "the same except for the seed". For the
// bands of charts and for colours. Pure.

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

/** The hyperparameters except those named like a seed; without hyperparameters, the name except for its seed. */
function configLabel(run: string, hparams: HParamsOfRuns): string {
  const own = Object.hasOwn(hparams, run) ? hparams[run] : undefined;
  if (own) {
    const kept = Object.entries(own).filter(([name]) => !SEED_NAME.test(name));
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
