/** Why a URL cannot be translated. */
export interface Refusal {
  kind: 'refused';
  /** What of the URL, as it was written. */
  part: string;
  /** For people. */
  reason: string;
}

/** Something that becomes similar, not the same. */
export interface Approximation {
  part: string;
  /** What differs, for people. */
  reason: string;
}

/** Ends a translation. It never leaves `translate`. */
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

/** Bounds a number to what our parameter takes. */
export function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
