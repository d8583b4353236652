// Steps of a trace and moments of it. Pure.

import type { Step } from "../answer";
import type { Span } from "../options";
import { firstStep } from "../trace/step_search";

/** Room beside a step, as a share of it: its neighbours tell where it is. */
const MARGIN = 0.08;

/** The time of this step on all hosts, else of the nearest one; null: there are none. */
export function stepSpan(steps: readonly Step[], number: number): Span | null {
  let nearest: Step | undefined;
  for (const step of steps)
    if (!nearest || Math.abs(step.number - number) < Math.abs(nearest.number - number)) nearest = step;
  if (!nearest) return null;
  let [from, to] = [nearest.start_ps, nearest.end_ps];
  for (const step of steps)
    if (step.number === nearest.number) [from, to] = [Math.min(from, step.start_ps), Math.max(to, step.end_ps)];
  const margin = Math.max(1, Math.round((to - from) * MARGIN));
  return { from: from - margin, to: to + margin };
}

/** The step at this moment, else the next one, else the last; null: there are none. Steps are by their beginning. */
export function stepAt(steps: readonly Step[], ps: number): Step | null {
  const next = firstStep(steps, ps + 1);
  const last = steps[next - 1];
  return (last && ps < last.end_ps ? last : steps[next]) ?? steps.at(-1) ?? null;
}
