// How much of the variance some components have. Pure.

export const variancePart = (variance: ArrayLike<number>, components: readonly number[]): number =>
  [...new Set(components)].reduce((sum, component) => sum + (variance[component] ?? 0), 0);
