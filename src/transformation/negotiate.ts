/** The outcome of negotiation: a format that the client names, or one that every client reads. */
export type NegotiatedFormat = 'avif' | 'webp' | 'fallback';

/** In the order of preference among formats that the client likes equally. */
const OFFERED = ['avif', 'webp'] as const;
const MOVING = ['webp'] as const;

/**
 * Chooses the picture format from an `Accept` header (RFC 9110, 12.5.1). Only formats that the header names count,
 * because a wildcard says nothing about AVIF. The higher q-value wins; `q=0` refuses.
 * @param excluded formats that this picture cannot have
 * @param isMoving whether its frames move, which they do not in AVIF
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
    if (weight > bestWeight) [best, bestWeight] = [format, weight];
  }
  return best;
}

/** Whether an `Accept` header names a picture format. */
export function acceptsFormat(accept: string | undefined, format: (typeof OFFERED)[number]): boolean {
  return (readAccept(accept ?? '').get(`image/${format}`) ?? 0) > 0;
}

/** The media ranges of an `Accept` header in lower case, each with its q-value. */
export function readAccept(accept: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    weights.set(type, readWeight(parameters));
  }
  return weights;
}

/** The q-value: 1 when it is absent, 0 when it is not a number between 0 and 1. */
function readWeight(parameters: string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
