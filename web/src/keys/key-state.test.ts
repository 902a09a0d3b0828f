import { expect, test } from 'vitest';
import { stateOf } from './key-state.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const key = { enabled: true, createdAt: '2026-05-01T00:00:00Z', lastUsedAt: null, expiresAt: '2027-01-01T00:00:00Z' };

test.each([
  ['good', {}],
  ['good', { expiresAt: null }],
  ['expired', { expiresAt: '2026-05-31T23:59:59Z', enabled: false }],
  ['disabled', { enabled: false }],
  ['soon', { expiresAt: '2026-06-05T00:00:00Z' }],
  ['idle', { createdAt: '2026-01-01T00:00:00Z' }],
  ['good', { createdAt: '2026-01-01T00:00:00Z', lastUsedAt: '2026-05-20T00:00:00Z' }],
])('a key is %s: %j', (state, change) => {
  expect(stateOf({ ...key, ...change }, NOW)).toBe(state);
});
