/**
 * Reads a day from an address or a field.
 * @returns a day such as `2026-11-27`; undefined for anything else, also for a day that no calendar has
 */
export function dayIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  const time = Date.parse(`${value}T00:00:00Z`);
  // Engines take 30 February for 2 March.
  return Number.isNaN(time) || dayOf(time) !== value ? undefined : value;
}

/** Day in UTC, such as `2026-11-27`. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
