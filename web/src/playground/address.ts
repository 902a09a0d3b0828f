/** What the address of the playground says beside the file: the page shows the same to whoever opens it. */
export interface PlaygroundSearch {
  /** The transformation. */
  t?: string;
  /** The browser that is played; one with AVIF when it is not said. */
  accept?: 'webp' | 'old';
  look?: 'compare';
  /** What is copied; the URL when it is not said. */
  as?: string;
}

/** Reads the query of the address; what it cannot be is left out. */
export function readPlaygroundSearch({ t, accept, look, as }: Record<string, unknown>): PlaygroundSearch {
  return {
    ...((typeof t === 'string' || typeof t === 'number') && t !== '' && { t: String(t) }),
    ...((accept === 'webp' || accept === 'old') && { accept }),
    ...(look === 'compare' && { look }),
    ...(typeof as === 'string' && { as }),
  };
}
