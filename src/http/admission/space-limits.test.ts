import type { FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { createLog } from '../../log.ts';
import type { StoragePath } from '../../path.ts';
import type { Space } from '../../spaces/space.ts';
import { createSpaceLimits } from './space-limits.ts';

const limited = (transferPerMonth: number): Space => ({
  id: 'acme',
  name: 'Acme',
  folder: 'acme' as StoragePath,
  isEnabled: true,
  hosts: [],
  rules: { quota: { transferPerMonth } },
  secret: undefined,
  previousSecret: undefined,
  createdAt: undefined,
});

const requestIn = (space: Space) =>
  ({
    within: { space, entrance: 'prefix' },
    raw: {},
    method: 'GET',
    routeOptions: { config: { isCounted: true } },
  }) as unknown as FastifyRequest;

function limitsWith(monthBytes: (space: string) => Promise<number>) {
  const config = { http: { rateLimit: { windowMs: 60_000 }, trustedProxies: [] }, usage: { flushMs: 10_000 } };
  const log = createLog({ level: 'silent', format: 'json' });
  return createSpaceLimits({ config, usage: { monthBytes }, log } as unknown as Parameters<
    typeof createSpaceLimits
  >[0]);
}

test('requests of the same moment read the transfer of a space once', async () => {
  const monthBytes = vi.fn(async () => 10);
  const count = limitsWith(monthBytes);
  const request = requestIn(limited(11));
  await Promise.all([count(request), count(request), count(request)]);
  expect(monthBytes.mock.calls).toEqual([['acme']]);
});

test('while the transfer cannot be read, the last figure counts, and files are delivered without any', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-27T12:00:00Z') });
  try {
    const monthBytes = vi.fn(async (): Promise<number> => Promise.reject(new Error('The database is down.')));
    const count = limitsWith(monthBytes);
    const request = requestIn(limited(11));
    await count(request);
    vi.setSystemTime(Date.now() + 10_000);
    monthBytes.mockImplementation(async () => 11);
    await expect(count(request)).rejects.toMatchObject({ code: 'transfer_exceeded' });
    vi.setSystemTime(Date.now() + 10_000);
    monthBytes.mockImplementation(async () => Promise.reject(new Error('The database is down.')));
    await expect(count(request)).rejects.toMatchObject({ code: 'transfer_exceeded' });
  } finally {
    vi.useRealTimers();
  }
});
