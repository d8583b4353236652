// Answers to the questions of cards: made from the server's columns, cached, and reused for questions that ask for
// less. Pure.

import type { Columns, LineColumns } from "../api/columns";
import { type Series, toSeries } from "../chart/model";
import type { CardAnswer, CardBand, CardLine, LineRole, Question } from "./card_model";
import { covers } from "./detail_range";
import { isSubset, type RunSet } from "../cards/run_sets";
import { levelEqualSteps } from "./equal_steps";
import { smooth } from "./smooth_here";

// Drawn from back to front: earlier attempts, raw lines, then the lines that the pointer finds.
const DEPTH: Record<LineRole, number> = { earlier: 0, raw: 1, smoothed: 2, center: 2 };
const isLine = (role: LineColumns["role"]): role is LineRole => role in DEPTH;
const isFound = (line: CardLine): boolean => DEPTH[line.role] === 2;

export function toAnswer(question: Question, columns: Columns): CardAnswer {
  // A line may come without its smoothed one only if its points are there; crowds have no raw lines.
  const hasPoints = columns.lines.some((line) => line.role === "raw");
  const smoothed = new Set(hasPoints ? columns.lines.filter((line) => line.role === "smoothed").map(keyOf) : []);
  const lines: CardLine[] = [];
  let isComplete = true;
  for (const line of columns.lines) {
    const { run, tag, role, generation, total } = line;
    if (!isLine(role)) continue;
    const series = seriesOf(line);
    const isSmooth = role === "smoothed" && question.isSmoothed;
    lines.push({ run, tag, role, generation, total, series: isSmooth ? levelEqualSteps(series) : series });
    if (role === "raw" && !smoothed.has(keyOf(line))) {
      lines.push({ run, tag, role: "smoothed", generation, total, series: smooth(series, question.smoothing) });
    }
    if (line.y.length < total || role === "center") isComplete = false;
  }
  lines.sort((a, b) => DEPTH[a.role] - DEPTH[b.role]);
  let sizeBytes = 0;
  for (const line of columns.lines) sizeBytes += line.y.byteLength;
  return {
    question,
    generation: columns.generation,
    lines,
    firstFound: countBehind(lines),
    bands: question.body.kind === "bands" ? toBands(columns.lines) : [],
    isComplete,
    sizeBytes,
  };
}

const keyOf = ({ run, tag }: LineColumns): string => JSON.stringify([run, tag]);
const seriesOf = (line: LineColumns): Series => toSeries(line.table, line.y, line.mask);

function countBehind(lines: readonly CardLine[]): number {
  const first = lines.findIndex(isFound);
  return first < 0 ? lines.length : first;
}

function toBands(columns: readonly LineColumns[]): CardBand[] {
  const parts = new Map<string, { [role in LineColumns["role"]]?: LineColumns }>();
  for (const line of columns) {
    const key = keyOf(line);
    parts.set(key, { ...parts.get(key), [line.role]: line });
  }
  return [...parts.values()].flatMap(({ low, high, count }) =>
    low && high && count
      ? [{ group: low.run, tag: low.tag, low: seriesOf(low), high: seriesOf(high), count: seriesOf(count) }]
      : [],
  );
}

/** The same answer for a question with fewer runs or a smaller range; null if it does not contain all of it. */
export function serve(answer: CardAnswer, question: Question): CardAnswer | null {
  const asked = answer.question;
  if (asked.key === question.key) return answer;
  if (asked.body.kind === "bands" || asked.plotKey !== question.plotKey) return null;
  const hasRange =
    asked.stretchKey === question.stretchKey || (answer.isComplete && covers(asked.range, question.range));
  if (!hasRange || !isSubset(question.runs, asked.runs)) return null;
  return asked.runs.key === question.runs.key
    ? { ...answer, question }
    : { ...onlyRuns(answer, question.runs), question };
}

/** What to show until the answer arrives: the lines of the runs that are still wanted. Null if nothing changes. */
export function narrow(answer: CardAnswer, question: Question): CardAnswer | null {
  const asked = answer.question;
  const isLess = asked.runs.key !== question.runs.key && isSubset(question.runs, asked.runs);
  return isLess && asked.body.kind === "lines" && question.body.kind === "lines"
    ? onlyRuns(answer, question.runs)
    : null;
}

function onlyRuns(answer: CardAnswer, runs: RunSet): CardAnswer {
  const lines = answer.lines.filter((line) => runs.has(line.run));
  return { ...answer, lines, firstFound: countBehind(lines) };
}

/** Answers of cards that were scrolled away, so that scrolling back is instant. The oldest are dropped first. */
export class AnswerCache {
  readonly #answers = new Map<string, CardAnswer>();
  #sizeBytes = 0;

  constructor(private readonly budgetBytes = 64e6) {}

  get(key: string): CardAnswer | undefined {
    return this.#answers.get(key);
  }

  put(answer: CardAnswer): void {
    const { key } = answer.question;
    this.#drop(key);
    this.#answers.set(key, answer);
    this.#sizeBytes += answer.sizeBytes;
    for (const old of this.#answers.keys()) {
      if (this.#sizeBytes <= this.budgetBytes || old === key) break;
      this.#drop(old);
    }
  }

  #drop(key: string): void {
    this.#sizeBytes -= this.#answers.get(key)?.sizeBytes ?? 0;
    this.#answers.delete(key);
  }
}
