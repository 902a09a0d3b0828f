/** Views of the stage besides the result. */
const LOOKS = ['compare', 'crop', 'point'] as const;
type Look = (typeof LOOKS)[number];

/** Search parameters of the playground; they make its state shareable. */
export interface PlaygroundSearch {
  /** The transformation. */
  t?: string;
  /** Simulated browser; AVIF support by default. */
  accept?: 'webp' | 'old';
  /** View; the result by default. */
  look?: Look;
  /** Selected snippet; the URL by default. */
  as?: string;
}

/** Parses search parameters; invalid values are dropped. */
export function readPlaygroundSearch({ t, accept, look, as }: Record<string, unknown>): PlaygroundSearch {
  const known = LOOKS.find((one) => one === look);
  return {
    ...((typeof t === 'string' || typeof t === 'number') && t !== '' && { t: String(t) }),
    ...((accept === 'webp' || accept === 'old') && { accept }),
    ...(known !== undefined && { look: known }),
    ...(typeof as === 'string' && { as }),
  };
}
