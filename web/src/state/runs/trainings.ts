// Trainings: `a/train`, `a/validation` and `a` are parts of one training. They share a hue; shade and dashes say
// which part a line is of. Pure; knows no colours.

/** How the line of a part differs from the colour of its training. */
export interface Look {
  readonly shade: "own" | "faded" | "deep";
  readonly dash: readonly number[];
}

export const SOLID: Look = { shade: "own", dash: [] };
const TRAIN: Look = { shade: "faded", dash: [5, 3] };
// For the second and later ones with the same role.
const SPARE: readonly Look[] = [
  { shade: "deep", dash: [] },
  { shade: "deep", dash: [2, 3] },
  { shade: "own", dash: [9, 3, 2, 3] },
  { shade: "faded", dash: [2, 3] },
];

/** Part of a training by its name; null if the name does not say. */
export type Part = "train" | "check" | null;

const PARTS = new Map<string, Part>([
  ...["train", "training"].map((name) => [name, "train"] as const),
  ...["val", "valid", "validation", "eval", "evaluation", "test", "dev"].map((name) => [name, "check"] as const),
]);
const LONGEST = 10;

export function partOf(name: string): Part {
  const start = endOfParent(name);
  const last = name.slice(start < 0 ? 0 : name[start] === "/" ? start + 1 : start + SEPARATOR.length);
  return last.length > LONGEST ? null : (PARTS.get(last.toLowerCase()) ?? null);
}

const SEPARATOR = " · ";
const endOfParent = (name: string): number => Math.max(name.lastIndexOf("/"), name.lastIndexOf(SEPARATOR));

/** What the parts of one training have in common: the parent's path. Any other run is its own training. */
export const trainingOfRun = (name: string): string => (partOf(name) === null ? name : (parentOf(name) ?? ""));

/** The same for groups; "train" alone is what the user asked to tell from "val". */
export const trainingOfGroup = (label: string): string => (partOf(label) === null ? label : (parentOf(label) ?? label));

function parentOf(name: string): string | null {
  const end = endOfParent(name);
  return end < 0 ? null : name.slice(0, end);
}

/** Whether two of them are parts of one training. */
export function haveParts(names: readonly string[]): boolean {
  const seen = new Set<string>();
  return names.some((name) => seen.size === seen.add(trainingOfRun(name)).size);
}

export interface Trainings {
  /** The training of every name. */
  readonly of: ReadonlyMap<string, string>;
  /** In the order of their first members. */
  readonly names: readonly string[];
  /** Of those that are not solid in their own shade. */
  readonly looks: ReadonlyMap<string, Look>;
  /** Names that are one of several parts, so that their line is worth showing. */
  readonly parts: ReadonlySet<string>;
}

/** `names` oldest first: what is added later changes no shade but that of a training part which was alone. */
export function findTrainings(names: readonly string[], trainingOf = trainingOfRun): Trainings {
  const of = new Map<string, string>();
  const members = new Map<string, string[]>();
  for (const name of names) {
    const training = trainingOf(name);
    of.set(name, training);
    const same = members.get(training);
    if (same) same.push(name);
    else members.set(training, [name]);
  }
  const looks = new Map<string, Look>();
  const parts = new Set<string>();
  for (const [training, all] of members) {
    if (all.length === 1) continue;
    for (const name of all) if (name !== training) parts.add(name);
    lookAt(training, all, looks);
  }
  return { of, names: [...members.keys()], looks, parts };
}

/** Validation is solid, training dashed. A parent without a training part is the training itself. */
function lookAt(training: string, all: readonly string[], looks: Map<string, Look>): void {
  const hasTrain = all.some((name) => partOf(name) === "train");
  const isTaken = new Set<Look>();
  for (const name of all) {
    // A parent beside both parts has values of its own, rarely the same tags.
    if (name === training && hasTrain) continue;
    const wanted = name === training || partOf(name) === "train" ? TRAIN : SOLID;
    const look = [wanted, ...SPARE].find((each) => !isTaken.has(each)) ?? wanted;
    isTaken.add(look);
    if (look !== SOLID) looks.set(name, look);
  }
}
