/** Reason why a URL cannot be translated. */
export interface Refusal {
  kind: 'refused';
  /** Part of the URL, as written. */
  part: string;
  /** Human-readable reason. */
  reason: string;
}

/** A parameter with a similar result. */
export interface Approximation {
  part: string;
  /** Human-readable difference. */
  reason: string;
}

/** Aborts a translation. Never leaves `translate`. */
export class Refused extends Error {
  readonly part: string;
  readonly reason: string;

  constructor(part: string, reason: string) {
    super(reason);
    this.part = part;
    this.reason = reason;
  }
}

export function refuse(part: string, reason: string): never {
  throw new Refused(part, reason);
}

/** Clamps a number to the range of our parameter. */
export function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
