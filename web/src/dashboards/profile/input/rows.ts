// What the Input view shows of an input pipeline: its verdict in words, stages per step, the tree of iterators, columns
// of its tables. Pure.

import type { components } from "../../../api/types.gen";
import { formatCount } from "../../../base/count";
import { formatStep } from "../../../base/format";
import type { InputPipeline } from "../answer";
import { percentText } from "../summary/parts";
import { type Column, number, percent, text, time } from "../tables/columns";
import type { Meaning } from "../trace/colors";

export type InputStep = InputPipeline["steps"][number];
export type LoaderRow = components["schemas"]["LoaderRow"];
export type IteratorRow = components["schemas"]["IteratorRow"];
type OpRow = components["schemas"]["OpRow"];

export interface Verdict {
  readonly title: string;
  readonly text: string;
  readonly isBad: boolean;
}

export function verdictOf({ verdict, input_share: share, notes }: InputPipeline, isTold: boolean): Verdict {
  const much = percentText(share);
  if (verdict === "input")
    return {
      title: "The training waits for its input",
      text: `${much} of the steps is waiting for batches and moving them to the device.`,
      isBad: true,
    };
  if (verdict === "both")
    return {
      title: "Input takes a part of the steps",
      text: `${much} of the steps is waiting for batches and moving them to the device.`,
      isBad: true,
    };
  if (verdict === "perhaps")
    return isTold
      ? {
          title: "Input is told to take little",
          text: `${much} of the steps; but nothing explains what happens in a part of the rest, and that may be input too.`,
          isBad: false,
        }
      : {
          title: "Input cannot be told apart",
          text: "The host works on its own in a part of the steps. Loading batches may be that work.",
          isBad: false,
        };
  if (verdict === "device")
    return {
      title: "The training does not wait for its input",
      text: `${much} of the steps is waiting for batches and moving them to the device.`,
      isBad: false,
    };
  return {
    title: "There are no steps to tell from",
    text: notes.length > 0 ? "" : "No step was marked.",
    isBad: false,
  };
}

export const STAGES: Readonly<Record<string, { label: string; hint: string; meaning: Meaning }>> = {
  read: { label: "Read", hint: "files and connections", meaning: "memory" },
  preprocess: { label: "Preprocess", hint: "decode, augment, collate", meaning: "op" },
  transfer: { label: "Transfer", hint: "copies to the device that nothing hides", meaning: "copy" },
  wait: { label: "Wait", hint: "the training has no batch", meaning: "input" },
};

/** How far each row is from the root of its tree. */
export function depthsOf(rows: readonly Pick<IteratorRow, "parent">[]): readonly number[] {
  const depths: number[] = [];
  // A parent stands before its children.
  for (const { parent } of rows) depths.push(parent >= 0 ? (depths[parent] ?? 0) + 1 : 0);
  return depths;
}

const durationOf = ({ start_ps, end_ps }: InputStep): number => end_ps - start_ps;
const inputOf = ({ parts }: InputStep): number => (parts["input"] ?? 0) + (parts["host_to_device"] ?? 0);
export const stepColumns = (hasHosts: boolean): readonly Column<InputStep>[] => [
  text("step", "Step", 80, (step) => formatStep(step.number)),
  ...(hasHosts ? [text<InputStep>("worker", "Worker", 90, ({ host }) => host)] : []),
  number("time", "Step time", durationOf, time),
  number("input", "Input", inputOf, time, "Waiting for input, and moving it to the device"),
  number("share", "Share", (step) => (durationOf(step) > 0 ? inputOf(step) / durationOf(step) : null), percent),
  number(
    "wait",
    "Wait",
    ({ parts }) => parts["input"] || null,
    time,
    "The host waits for a batch while no device works",
  ),
  number(
    "transfer",
    "Transfer",
    ({ parts }) => parts["host_to_device"] || null,
    time,
    "Copies to the device beside no other work",
  ),
];

export const LOADER_COLUMNS: readonly Column<OpRow>[] = [
  text("name", "Loader", 220, ({ name }) => name.replace(/^enumerate\((\w+)\)#_?/, "$1: ")),
  number("count", "Calls", ({ occurrences }) => occurrences, formatCount),
  number("total", "Total", ({ total_ps }) => total_ps, time),
  number("mean", "Mean", ({ total_ps, occurrences }) => (occurrences > 0 ? total_ps / occurrences : null), time),
  number("longest", "Longest", ({ max_ps }) => max_ps, time),
];

/** All that runs inside the loaders has so much time of its own. */
export const insideColumns = (all: number): readonly Column<LoaderRow>[] => [
  text("name", "Function or op", 220, ({ name }) => name),
  text("source", "In", 150, ({ source }) => source ?? ""),
  number("self", "Self", ({ self_ps }) => self_ps, time, "Without what it calls"),
  number("share", "Share", ({ self_ps }) => (all > 0 ? self_ps / all : null), percent, "Of the time in the loaders"),
  number("total", "Total", ({ total_ps }) => total_ps, time),
  number("count", "Calls", ({ calls }) => calls, formatCount),
];

export const ITERATOR_COLUMNS: readonly Column<IteratorRow>[] = [
  text("name", "Iterator", 200, ({ name }) => name),
  number("parent", "Parent", ({ parent }) => parent, String),
  number("count", "Calls", ({ calls }) => calls, formatCount),
  number("total", "Total", ({ total_ps }) => total_ps, time),
  number("self", "Self", ({ self_ps }) => self_ps, time),
  text("bottleneck", "Bottleneck", 90, ({ is_bottleneck }) => (is_bottleneck ? "yes" : "")),
];

/** Findings that are about input; where nothing tells of it, those about code of the host too. */
export const isAboutInput = (id: string, isTold: boolean): boolean =>
  ["waiting_for_input", "pageable_memory", "copies"].includes(id) || (!isTold && id === "host_code");

/** Iterators that only wait for the one that they ask. */
export const isWaiting = ({ name }: IteratorRow): boolean => /^(Prefetch|Root)/.test(name);
