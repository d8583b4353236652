/** A range of time, in picoseconds from the trace's origin. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
