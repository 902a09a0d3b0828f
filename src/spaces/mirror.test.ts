import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parsePath } from '../path.ts';
import { readMirror, writeMirror } from './mirror.ts';
import type { Space } from './space.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-mirror-'));
});
afterAll(() => rm(folder, { recursive: true }));

const ACME: Space = {
  id: 'acme',
  name: 'Acme',
  folder: parsePath('customers/acme'),
  isEnabled: true,
  hosts: ['media.acme.test'],
  rules: { originals: 'protected', privateFolders: [parsePath('inner')] },
  secret: 'a secret of forty-three characters, at least',
  previousSecret: { secret: 'an earlier one', until: 1 },
  createdAt: '2026-01-01T00:00:00.000Z',
};

test('has the rules of all spaces, and no secret', async () => {
  const file = join(folder, 'spaces.json');
  await writeMirror(file, [ACME]);
  expect(await readFile(file, 'utf8')).not.toMatch(/secret of|earlier/);
  expect(await readMirror(file)).toEqual([
    { ...ACME, secret: undefined, previousSecret: undefined, createdAt: undefined },
  ]);
});

test('without a file there are no spaces', async () => {
  expect(await readMirror(join(folder, 'nothing.json'))).toEqual([]);
});

test('a damaged file stops the start: what it withheld is unknown', async () => {
  const file = join(folder, 'damaged.json');
  await writeFile(file, '[{"id":"acme"');
  await expect(readMirror(file)).rejects.toThrow();
});
