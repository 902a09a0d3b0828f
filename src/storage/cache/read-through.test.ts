import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import { parsePath, ROOT } from '../../path.ts';
import { createLocalVariants } from './local-variants.ts';
import { ReadThrough } from './read-through.ts';
import type { SharedVariants } from './shared-variants.ts';

const PHOTO = parsePath('photo.jpg');

test.each([100, 600_000])(
  'a shared variant of %i bytes that is forgotten while it is put is not kept',
  async (length) => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-read-'));
    const near = await createLocalVariants({
      directory: join(folder, 'near'),
      temp: folder,
      maxBytes: 1e7,
      memoryBytes: 1e6,
    });
    const isPutting = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const put: typeof near.put = async (...args) => {
      isPutting.resolve();
      await mayEnd.promise;
      return near.put(...args);
    };
    const open = async () => ({ format: 'webp', length, stream: Readable.from([Buffer.alloc(length)]) });
    const local = Object.assign(Object.create(near), { put, get: near.get.bind(near), evict: near.evict.bind(near) });
    const shared = { open } as unknown as SharedVariants;
    const log = createLog({ level: 'silent', format: 'json' });
    const reads = new ReadThrough({ local, shared, temp: folder, maxBytes: 1e6, log });
    const found = reads.get(PHOTO, 'key');
    await isPutting.promise;
    reads.evict(ROOT);
    await near.clear();
    mayEnd.resolve();
    await found;
    await reads.close();
    expect(await near.get(PHOTO, 'key', ['webp'])).toBeUndefined();
    expect(near.peek('key')).toBeUndefined();
    await rm(folder, { recursive: true });
  },
);
