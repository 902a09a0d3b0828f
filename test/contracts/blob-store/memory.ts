import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import type { BlobStore } from '../../../src/storage/blob-store.ts';
import { MEBIBYTE, path } from './steps.ts';

/** Measures memory outside the heap, after a collection, every 4 MiB in both directions. */
export async function constantMemory(store: BlobStore): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const alive = () => {
    collect();
    const { external, heapUsed } = process.memoryUsage();
    return external + heapUsed;
  };
  const total = 64 * MEBIBYTE;
  const sent = createHash('sha256');
  const received = createHash('sha256');
  const before = alive();
  let most = before;
  async function* source() {
    for (let position = 0; position < total; position += 65_536) {
      const chunk = Buffer.alloc(65_536, position / 65_536);
      sent.update(chunk);
      yield chunk;
      if (position % (4 * MEBIBYTE) === 0) most = Math.max(most, alive());
    }
  }
  expect((await store.write(path('large'), source())).size).toBe(total);
  let position = 0;
  let sampled = 0;
  for await (const chunk of await store.open(path('large'))) {
    received.update(chunk);
    position += chunk.length;
    if (position - sampled < 4 * MEBIBYTE) continue;
    sampled = position;
    most = Math.max(most, alive());
  }
  expect(position).toBe(total);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
  // Allowance for a client library that sends parts of several MiB, some concurrently.
  expect(most - before).toBeLessThan(40 * MEBIBYTE);
}
