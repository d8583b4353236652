// Keeps a repeated job from filling the machine: one at a time, with a rest after each in proportion to what it cost.

export interface Pace {
  /** The rest is this many times the job's own duration … */
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

  /** Run the job now, or once after the one under way has rested. */
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
