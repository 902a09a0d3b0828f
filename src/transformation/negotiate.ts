/** Negotiated format: one that the client names, or one that every client reads. */
export type NegotiatedFormat = 'avif' | 'webp' | 'fallback';

/** In order of preference at equal q-values. */
const OFFERED = ['avif', 'webp'] as const;
const MOVING = ['webp'] as const;

/**
 * Chooses the image format from an `Accept` header (RFC 9110, 12.5.1). Only named formats count, because a wildcard
 * says nothing about AVIF. The highest q-value wins; `q=0` excludes.
 * @param excluded formats that this image cannot have
 * @param isMoving true for animations, which exclude AVIF
 */
export function negotiateFormat(
  accept: string | undefined,
  excluded: readonly string[] = [],
  isMoving = false,
): NegotiatedFormat {
  if (!accept) return 'fallback';
  const weights = readAccept(accept);
  let best: NegotiatedFormat = 'fallback';
  let bestWeight = 0;
  for (const format of isMoving ? MOVING : OFFERED) {
    const weight = excluded.includes(format) ? 0 : (weights.get(`image/${format}`) ?? 0);
    if (weight > bestWeight) best = format;
    bestWeight = weight;
  }
  return best;
}

/** True if an `Accept` header names an image format. */
export function acceptsFormat(accept: string | undefined, format: (typeof OFFERED)[number]): boolean {
  return (readAccept(accept ?? '').get(`image/${format}`) ?? 0) > 0;
}

/** Parses an `Accept` header into media ranges in lower case, each with its q-value. */
export function readAccept(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    weights.set(type, readWeight(parameters));
  }
  return weights;
}

/** Returns the q-value: 1 if absent, 0 unless a number between 0 and 1. */
function readWeight(parameters: string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
