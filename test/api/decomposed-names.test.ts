import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';

/** As named by macOS; paths have the composed forms. */
const FOLDER = 'Cafe\u0301';
const FILE = 'Mu\u0308ller.png';
const PATH = `${FOLDER}/${FILE}`.normalize('NFC');
const inUrl = (path: string) => path.split('/').map(encodeURIComponent).join('/');

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary();
  await mkdir(join(service.originals, FOLDER), { recursive: true });
  await writeFile(join(service.originals, FOLDER, FILE), picture('first'));
  await service.services.sync.reconciliation.run();
});
afterAll(() => service.close());

const row = (path: string) => service.services.catalog.files.find(parsePath(path));

describe('a file of a Mac that was put onto the disk', () => {
  test('is served by both forms of its name', async () => {
    for (const path of [PATH, `${FOLDER}/${FILE}`]) {
      const answer = await service.call('GET', `/t/${inUrl(path)}`);
      expect([answer.status, answer.body]).toEqual([200, picture('first')]);
      expect((await service.call('GET', `/t/w_1/${inUrl(path)}`)).status).toBe(200);
    }
  });

  test('is listed, found and recorded by its composed name', async () => {
    expect(await row(PATH)).toMatchObject({ path: PATH });
    const folder = inUrl(FOLDER.normalize('NFC'));
    const listing = (await service.call('GET', `/storage?path=${folder}`)).json();
    expect(listing).toMatchObject({ files: [{ path: PATH }] });
    const found = (
      await service.call('GET', `/storage?recursive=true&search=${encodeURIComponent('M\u00fcller')}`)
    ).json();
    expect(found).toMatchObject({ files: [{ path: PATH }] });
    const root = (await service.call('GET', '/storage')).json();
    expect(root).toMatchObject({ folders: [{ path: FOLDER.normalize('NFC') }] });
  });

  test('is replaced, moved into the trash and back, renamed and deleted', async () => {
    expect((await service.call('PUT', `/storage/${inUrl(PATH)}`, picture('second'))).status).toBe(200);
    expect((await service.call('GET', `/t/${inUrl(PATH)}`)).body).toEqual(picture('second'));
    expect(await readdir(join(service.originals, FOLDER))).toEqual([FILE]);
    expect((await service.call('DELETE', `/storage/${inUrl(PATH)}?trash=true`)).status).toBe(200);
    expect((await service.call('GET', `/t/${inUrl(PATH)}`)).status).toBe(404);
    const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
    expect((await service.call('POST', `/trash/${items[0]?.id}/restore`)).status).toBe(200);
    expect((await service.call('GET', `/t/${inUrl(PATH)}`)).status).toBe(200);
    expect((await service.call('DELETE', `/storage/${inUrl(PATH)}`)).status).toBe(200);
    expect((await service.call('GET', `/t/${inUrl(PATH)}`)).status).toBe(404);
    expect(await row(PATH)).toBeUndefined();
    expect(await readdir(join(service.originals, FOLDER))).toEqual([]);
  });
});
