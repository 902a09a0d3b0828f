import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import { type Current, path, put, text, walked } from './steps.ts';

const AWKWARD_NAMES = [
  'Zürich – Müller.jpg',
  '写真 📷.png',
  'a,b&c@d.jpg',
  `it's "quoted".jpg`,
  '100%.jpg',
  '100%25.jpg',
  'a#b?c.jpg',
  'a+b c.jpg',
  ' leading and trailing ',
  '.hidden',
  '...',
  'a:b|c<d>e*f.jpg',
];

export function naming(store: Current): void {
  test.each(AWKWARD_NAMES)('a file and a folder can be called %j', async (name) => {
    const file = path(`${name}/${name}`);
    const other = path(`other ${name}`);
    const written = await put(store(), file, name);
    expect(await store().list(path(name))).toEqual({ folders: [], files: [{ path: file, ...written }] });
    expect((await store().list(ROOT)).folders).toEqual([path(name)]);
    expect(await store().folders()).toEqual([path(name)]);
    expect(await walked(store(), '')).toEqual([file]);
    await store().copy(file, other);
    expect(await text(store(), other)).toBe(name);
    await store().move(other, file);
    expect(await store().withLocalFile(file, (local) => readFile(local, 'utf8'))).toBe(name);
    await store().moveFolder(path(name), path(`moved/${name}`));
    expect(await text(store(), `moved/${name}/${name}`)).toBe(name);
    expect(await store().remove(path(`moved/${name}/${name}`))).toBe(true);
  });
}
