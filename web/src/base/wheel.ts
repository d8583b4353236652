// How far a turn of the wheel zooms, wherever something zooms. Pure.

const MAX_PX = 400;

/** Above 1 to see more; lines and pages count as a number of pixels. */
export function wheelFactor({
  deltaX,
  deltaY,
  deltaMode,
}: Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode">): number {
  // Shift makes the wheel horizontal.
  const turned = (deltaY || deltaX) * (deltaMode === 1 ? 16 : deltaMode === 2 ? MAX_PX : 1);
  return Math.exp(Math.min(Math.max(turned, -MAX_PX), MAX_PX) * 0.002);
}
