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

/** Returns the refusal of an aborted translation; rethrows any other error. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refused)) throw error;
  const { part, reason } = error;
  return { kind: 'refused', part: part.length > 100 ? `${part.slice(0, 100)}…` : part, reason };
}

export function refuse(part: string, reason: string): never {
  throw new Refused(part, reason);
}

/** Clamps a number to the range of our parameter. */
export function within(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** Writes a share with a decimal point, as our parameters need. */
export function writeShare(share: number): string {
  const text = String(Number(share.toFixed(4)));
  return text.includes('.') ? text : `${text}.0`;
}
