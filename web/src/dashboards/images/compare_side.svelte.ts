// One side of the comparison: a run, a step, the image there and its stored values. Created in a component and ends
// with it.

import type { SeriesSteps } from "../../api/steps";
import type { Session } from "../../state/session.svelte";
import { findNearest, type Sample, sampleAt } from "../../state/cursor/step_cursor";
import type { Decoded, Pixels } from "./decode/decode";
import { ShownPicture } from "./shown_picture.svelte";

export class CompareSide {
  run = $state("");
  /** The wanted step; null: the newest. */
  at = $state<number | null>(null);
  readonly shown: ShownPicture;
  #stored = $state.raw<{ readonly of: Decoded; readonly pixels: Pixels } | null>(null);

  /** `isRead`: stored values are needed. */
  constructor(
    private readonly session: Session,
    private readonly tag: string,
    file: () => number,
    isRead: () => boolean,
    run: string,
    at: number | null,
  ) {
    this.run = run;
    this.at = at;
    // Outside: the list of steps.
    $effect(() => session.samples.watch("image", this.run, tag));
    const fileOf = (value: Sample | null) => value && { value, file: file() };
    this.shown = new ShownPicture(
      session,
      () => fileOf(this.value),
      () => true,
      () => [1, -1].flatMap((way) => fileOf(this.series && sampleAt(this.series, this.index + way)) ?? []),
    );
    // Outside: exact values come from the file, not from the bitmap.
    $effect(() => {
      const { picture } = this.shown;
      if (!picture || !isRead()) return;
      let isOld = false;
      picture.pixels().then(
        (pixels) => !isOld && (this.#stored = { of: picture, pixels }),
        () => !isOld && (this.#stored = null),
      );
      return () => (isOld = true);
    });
  }

  readonly series = $derived.by(
    (): SeriesSteps | null => this.session.samples.read("image", this.run, this.tag)?.steps ?? null,
  );
  readonly index = $derived.by(() => (this.series ? findNearest(this.series.step, this.at) : -1));
  readonly value = $derived.by((): Sample | null => (this.series ? sampleAt(this.series, this.index) : null));
  readonly isNearest = $derived.by(() => this.at !== null && this.value !== null && this.value.step !== this.at);
  /** Null: not loaded yet. */
  readonly pixels = $derived.by((): Pixels | null =>
    this.#stored && this.#stored.of === this.shown.picture ? this.#stored.pixels : null,
  );
}
