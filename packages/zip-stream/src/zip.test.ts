import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { turnsDuring } from '../../../test/turns.ts';
import { installUnzip, testWithUnzip } from '../../../test/unzip.ts';
import { writeZip, type ZipEntry, zipSize } from './zip.ts';

const MEBIBYTE = 1024 * 1024;
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  await installUnzip();
  folder = await mkdtemp(join(tmpdir(), 'zip-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Entry extends ZipEntry {
  open(): Promise<AsyncIterable<Uint8Array>>;
}

const writeArchive = (entries: readonly Entry[]) => writeZip(entries, (file) => file.open());

function entry(name: string, bytes: Buffer, modifiedAt = new Date('2026-05-04T03:02:06Z')): Entry {
  return { name, size: bytes.length, modifiedAt, open: async () => chunks(bytes) };
}

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 1000) yield bytes.subarray(start, start + 1000);
}

/** Makes a file of zeros without memory. */
function zeros(name: string, size: number): Entry {
  const chunk = Buffer.alloc(MEBIBYTE);
  async function* read() {
    for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
  }
  return { name, size, modifiedAt: new Date(0), open: async () => read() };
}

/** Writes the archive to a sparse file, with small parts combined; returns its length. */
async function save(file: string, entries: Entry[]): Promise<number> {
  await using handle = await open(file, 'w');
  let small: Uint8Array[] = [];
  let start = 0;
  let length = 0;
  const write = async () => {
    await handle.write(Buffer.concat(small), 0, length - start, start);
    small = [];
    start = length;
  };
  for await (const part of writeArchive(entries)) {
    if (part.length < MEBIBYTE) {
      small.push(part);
      length += part.length;
      if (length - start >= MEBIBYTE) await write();
    } else {
      await write();
      start = length += part.length;
    }
  }
  await write();
  return length;
}

async function python(script: string, file: string): Promise<unknown> {
  const { stdout } = await run('python3', [
    '-c',
    `import json, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n${script}`,
    file,
  ]);
  return JSON.parse(stdout);
}

describe('an archive', () => {
  test('has the promised length, and other programs read names, times and bytes', async () => {
    const file = join(folder, 'small.zip');
    const entries = [
      entry('a.txt', Buffer.from('hello')),
      entry('empty', Buffer.alloc(0)),
      entry('folder/é 日本 😀, "q".bin', Buffer.alloc(100_000, 7), new Date('1970-01-01T00:00:00Z')),
    ];
    expect(await save(file, entries)).toBe(await zipSize(entries));
    await testWithUnzip(file);
    expect(
      await python(
        'assert z.testzip() is None\nprint(json.dumps([[i.filename, i.file_size, i.compress_type, i.date_time[0]] for i in z.infolist()]))',
        file,
      ),
    ).toEqual([
      ['a.txt', 5, 0, 2026],
      ['empty', 0, 0, 2026],
      ['folder/é 日本 😀, "q".bin', 100_000, 0, 1980],
    ]);
  });

  test('of nothing is an archive too', async () => {
    expect(await save(join(folder, 'empty.zip'), [])).toBe(await zipSize([]));
    expect(await python('print(json.dumps(z.namelist()))', join(folder, 'empty.zip'))).toEqual([]);
  });

  test.each([1, 60, 800, 65_534, 65_535, 70_000])('of %i files has the promised length and opens', async (count) => {
    const file = join(folder, 'many.zip');
    const entries = Array.from({ length: count }, (_, n) =>
      entry(`folder/with/a/long/name/${n}.bin`, Buffer.from(String(n))),
    );
    expect(await save(file, entries)).toBe(await zipSize(entries));
    expect(await python('print(json.dumps([len(z.infolist()), z.testzip()]))', file)).toEqual([count, null]);
    await testWithUnzip(file);
  });

  test('of many files has its length calculated in turns, between which other work runs', async () => {
    const entries = Array.from({ length: 50_000 }, (_, n) => ({ name: `${n}`, size: n }));
    expect(await turnsDuring(() => zipSize(entries))).toBeGreaterThanOrEqual(49);
  });

  test('of more than 4 GiB is ZIP64, before and after a large file', async () => {
    const file = join(folder, 'large.zip');
    const large = 4 * 1024 * MEBIBYTE + 5;
    const entries = [entry('before', Buffer.from('b')), zeros('large', large), entry('after', Buffer.from('hello'))];
    expect(await save(file, entries)).toBe(await zipSize(entries));
    const read =
      'print(json.dumps([[i.file_size for i in z.infolist()], z.read("after").decode(), len(z.open("large").read(9))]))';
    expect(await python(read, file)).toEqual([[1, large, 5], 'hello', 9]);
  });

  test.each([0, 4, 6, 5000])('whose file has %i bytes instead of 5 fails', async (size) => {
    const lying = { ...entry('a', Buffer.alloc(size)), size: 5 };
    await expect(save(join(folder, 'lying.zip'), [lying])).rejects.toThrow('another size');
  });

  test('whose reader leaves closes the file that is open', async () => {
    let closed = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(10);
      } finally {
        closed = true;
      }
    }
    const archive = writeArchive([{ ...zeros('a', 1000), open: async () => endless() }]);
    await archive.next();
    await archive.next();
    await archive.return(undefined);
    expect(closed).toBe(true);
  });
});
