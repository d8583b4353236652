// What a page of its own, instead of cards, tells the page around it: whether it is ready, and which run it shows.

import type { Session } from "../state/session.svelte";

interface OneRun {
  /** The run that is shown; null: none, or a file that was dropped. */
  readonly shown: () => string | null;
  /** What can be shown. */
  readonly listed: () => readonly { readonly run: string }[];
  readonly choose: (run: string) => void;
}

/** Call it where the page is created, as the other one. */
export function tellReady({ readiness }: Session, isReady: () => boolean): void {
  const id = "page";
  $effect(() => {
    readiness.expect([id]);
    return () => readiness.expect(null);
  });
  readiness.follow(id, isReady);
}

/** The run table and the rail light the run, and another one is chosen there. */
export function showOneRun({ runs }: Session, { shown, listed, choose }: OneRun): void {
  $effect(() => {
    runs.nearestInChart = shown();
    return () => (runs.nearestInChart = null);
  });
  $effect(() => {
    runs.choice = { runs: new Set(listed().map(({ run }) => run)), choose };
    return () => (runs.choice = null);
  });
}
