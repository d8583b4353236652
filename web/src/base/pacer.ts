// Limits the load of a repeated job: one at a time, with a pause after each that is proportional to its duration.

export interface Pace {
  /** The pause is this many times the duration of the job … */
  readonly restFactor: number;
  /** … but within these bounds. */
  readonly minRestMs: number;
  readonly maxRestMs: number;
}

export class Pacer {
  private isBusy = false;
  private isWanted = false;
  private isEnded = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly job: () => Promise<void>,
    private readonly pace: Pace,
  ) {}

  /** Runs the job now, or once after the pause of the current one. */
  request(): void {
    this.isWanted = true;
    if (!this.isBusy && !this.isEnded) void this.run();
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    this.isWanted = false;
    const startMs = performance.now();
    try {
      await this.job();
    } finally {
      const { restFactor, minRestMs, maxRestMs } = this.pace;
      const restMs = Math.min(Math.max((performance.now() - startMs) * restFactor, minRestMs), maxRestMs);
      this.timer = setTimeout(() => {
        this.isBusy = false;
        if (this.isWanted && !this.isEnded) void this.run();
      }, restMs);
    }
  }
}
