import type { ApiKey } from '../api/types.ts';

const DAY_MS = 86_400_000;
/** Keys unused for this long are flagged. */
const IDLE_DAYS = 90;
const SOON_DAYS = 7;

export type KeyState = 'good' | 'expired' | 'disabled' | 'soon' | 'idle';

/** State of a key to display. @param now Unix milliseconds */
export function stateOf(
  { enabled, expiresAt, lastUsedAt, createdAt }: Pick<ApiKey, 'enabled' | 'expiresAt' | 'lastUsedAt' | 'createdAt'>,
  now = Date.now(),
): KeyState {
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  if (!enabled) return 'disabled';
  if (left < SOON_DAYS * DAY_MS) return 'soon';
  return now - Date.parse(lastUsedAt ?? createdAt) > IDLE_DAYS * DAY_MS ? 'idle' : 'good';
}
