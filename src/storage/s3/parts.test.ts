import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Part, partsOfChunks, partsOfFile, WHOLE_BYTES } from './parts.ts';

async function collect(parts: AsyncIterable<Part> | Iterable<Part>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(await part());
  return all;
}

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const BYTES = Buffer.from(Uint8Array.from({ length: 2 * WHOLE_BYTES + 1000 }, (_, n) => n % 251));

test.each([1_000_003, 65_536, 3 * WHOLE_BYTES])(
  'chunks of %i bytes become parts of one size, and a rest',
  async (size) => {
    const parts = await collect(partsOfChunks(chunks(BYTES, size)));
    expect(parts.map(({ length }) => length)).toEqual([WHOLE_BYTES, WHOLE_BYTES, 1000]);
    expect(Buffer.concat(parts).equals(BYTES)).toBe(true);
  },
);

test('what fills a part exactly, and nothing at all, are one part', async () => {
  expect((await collect(partsOfChunks(chunks(BYTES.subarray(0, WHOLE_BYTES), 1000)))).length).toBe(1);
  expect(await collect(partsOfChunks(chunks(Buffer.alloc(0), 1)))).toEqual([Buffer.alloc(0)]);
});

test('a file becomes parts of one size, and a rest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parts-'));
  const file = join(folder, 'file');
  await writeFile(file, BYTES);
  {
    await using handle = await open(file, 'r');
    expect(Buffer.concat(await collect(partsOfFile(handle, BYTES.length))).equals(BYTES)).toBe(true);
    expect(await collect(partsOfFile(handle, 0))).toEqual([Buffer.alloc(0)]);
    // The largest possible object fits into the maximum number of parts.
    expect([...partsOfFile(handle, 5 * 1024 ** 4)].length).toBeLessThanOrEqual(10_000);
  }
  await rm(folder, { recursive: true });
});
