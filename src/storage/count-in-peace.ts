import { setTimeout as pause } from 'node:timers/promises';

/** How often a count is tried that no other machine disturbs, before one is put up with. */
const ATTEMPTS = 4;
/** The pause after the first attempt is twice as long, and doubles with each, in milliseconds. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 10_000];

export interface PeaceOptions {
  attempts?: number | undefined;
  /** Whether nobody wants it any more. */
  isOver?: () => boolean;
}

/**
 * Tries for a count that no other machine disturbs.
 * @param count gives undefined when it was disturbed
 * @returns undefined when there was none in so many attempts
 */
export async function countInPeace<T>(
  count: () => Promise<T | undefined>,
  { attempts = ATTEMPTS, isOver = () => false }: PeaceOptions = {},
): Promise<T | undefined> {
  for (let attempt = 1; attempt <= attempts && !isOver(); attempt++) {
    const counted = await count();
    if (counted !== undefined) return counted;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
    if (attempt < attempts) await pause(pauseMs, undefined, { ref: false });
  }
  return undefined;
}
