/** Search parameters of the playground; they make its state shareable. */
export interface PlaygroundSearch {
  /** The transformation. */
  t?: string;
  /** Simulated browser; AVIF support by default. */
  accept?: 'webp' | 'old';
  look?: 'compare';
  /** Selected snippet; the URL by default. */
  as?: string;
}

/** Parses search parameters; invalid values are dropped. */
export function readPlaygroundSearch({ t, accept, look, as }: Record<string, unknown>): PlaygroundSearch {
  return {
    ...((typeof t === 'string' || typeof t === 'number') && t !== '' && { t: String(t) }),
    ...((accept === 'webp' || accept === 'old') && { accept }),
    ...(look === 'compare' && { look }),
    ...(typeof as === 'string' && { as }),
  };
}
