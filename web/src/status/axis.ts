/** Steps of a scale. */
const STEPS = [1, 2, 5, 10];

/**
 * Top of a scale for values up to a maximum: 1, 2 or 5 times a power of ten.
 * @param isBytes scales in powers of 1024
 */
export function topOf(maximum: number, isBytes = false): number {
  if (maximum <= 0) return 1;
  const unit = isBytes ? 1024 ** Math.floor(Math.log(maximum) / Math.log(1024)) : 1;
  const value = maximum / unit;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = STEPS.find((one) => one * power >= value) ?? 10;
  return step * power * unit;
}

/** Position of a point in a chart, 0 to 1. */
export const shareOf = (index: number, count: number): number => (count < 2 ? 0 : index / (count - 1));

/** Point that is nearest to a position, 0 to 1. */
export function indexAt(share: number, count: number): number {
  return Math.min(count - 1, Math.max(0, Math.round(share * (count - 1))));
}
