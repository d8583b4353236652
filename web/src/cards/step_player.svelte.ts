// Plays the steps of a slider one after the other. Created in a component and ends with it.

const FRAME_MS = 125;

interface Played {
  readonly first: () => number;
  readonly last: () => number;
  readonly index: () => number;
  /** The value is on screen; the next one waits for it. */
  readonly isShown: () => boolean;
  readonly go: (index: number) => void;
}

export class StepPlayer {
  isPlaying = $state(false);

  constructor(private readonly played: Played) {
    // Outside: the clock, while it plays.
    $effect(() => {
      if (!this.isPlaying || !played.isShown()) return;
      if (played.index() >= played.last()) {
        this.isPlaying = false;
        return;
      }
      const next = played.index() + 1;
      const timer = setTimeout(() => played.go(next), FRAME_MS);
      return () => clearTimeout(timer);
    });
  }

  toggle(): void {
    const { first, last, index, go } = this.played;
    this.isPlaying = !this.isPlaying && last() > first();
    if (this.isPlaying && index() >= last()) go(first());
  }
}
