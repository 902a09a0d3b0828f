import { expect, test } from 'vitest';
import { parsePath } from '../path.ts';
import { createQuotas } from './quotas.ts';
import { createSpaceRegistry } from './registry.ts';
import type { Space } from './space.ts';

const ACME: Space = {
  id: 'acme',
  name: 'Acme',
  folder: parsePath('customers/acme'),
  isEnabled: true,
  hosts: [],
  rules: { quota: { bytes: 100 } },
  secret: undefined,
  previousSecret: undefined,
  createdAt: undefined,
};
const FILE = parsePath('customers/acme/a.png');

function limited(storedBytes: (space: string) => Promise<number>) {
  const registry = createSpaceRegistry();
  registry.replace([ACME]);
  return createQuotas({ registry, storedBytes });
}

const refusal = { code: 'quota_exceeded', status: 507 };

test('changes in parallel fit together, each with what is left by those before', async () => {
  let stored = 0;
  const quotas = limited(async () => stored);
  const { promise, resolve } = Promise.withResolvers<void>();
  const add = (bytes: number) =>
    quotas.adding(
      FILE,
      async () => bytes,
      async () => {
        await promise;
        stored += bytes;
      },
    );
  const results = [add(60), add(60), add(40)];
  await expect(results[1]).rejects.toMatchObject(refusal);
  resolve();
  expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(stored).toBe(100);
});

test('a change that ends while the stored bytes are read is counted once', async () => {
  let stored = 0;
  let duringRead: () => Promise<void> = async () => undefined;
  const quotas = limited(async () => {
    const read = stored;
    await duringRead();
    return read;
  });
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const first = quotas.adding(
    FILE,
    async () => 50,
    async () => {
      begun.resolve();
      await ending.promise;
      stored += 50;
    },
  );
  await begun.promise;
  duringRead = async () => {
    duringRead = async () => undefined;
    ending.resolve();
    await first;
  };
  await quotas.assertFits('acme', 50);
  await expect(quotas.assertFits('acme', 51)).rejects.toMatchObject(refusal);
});

test('a change that failed leaves its bytes to others', async () => {
  const quotas = limited(async () => 0);
  const failing = quotas.adding(
    FILE,
    async () => 100,
    async () => Promise.reject(new Error('the disk is full')),
  );
  await expect(failing).rejects.toThrow('the disk is full');
  await quotas.assertFits('acme', 100);
});

test('elsewhere, and in a space without a quota, nothing is read', async () => {
  const quotas = limited(async () => Promise.reject(new Error('read')));
  const measure = async () => Promise.reject(new Error('measured'));
  expect(await quotas.adding(parsePath('customers/other/a.png'), measure, async () => 'done')).toBe('done');
  await quotas.assertFits('globex', 1e9);
});
