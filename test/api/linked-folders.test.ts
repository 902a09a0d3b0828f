import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { type LibraryService, picture, problem, startLibrary } from '../library.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary();
  await mkdir(join(service.originals, 'linked-to'), { recursive: true });
  await service.store('linked-to/a.png');
  await symlink('linked-to', join(service.originals, 'linked'));
});
afterAll(() => service.close());

const row = () => service.services.catalog.files.find(parsePath('linked/a.png'));

describe('a file behind a linked folder', () => {
  test('is replaced like any other, keeps no version and has no row', async () => {
    const before = await service.services.stats.read();
    expect((await service.call('PUT', '/storage/linked/a.png', picture('new'))).status).toBe(200);
    expect((await service.call('GET', '/t/linked/a.png')).body).toEqual(picture('new'));
    await service.expectAnswer('GET', '/storage/linked/a.png/versions', undefined, 200, { versions: [] });
    expect(await Array.fromAsync(service.services.versions.retained())).toEqual([]);
    expect(await row()).toBeUndefined();
    expect((await service.services.stats.read()).storage.fileCount).toBe(before.storage.fileCount);
  });

  test('has no record, and asking for one leaves no row', async () => {
    await service.expectAnswer('GET', '/assets/linked/a.png', undefined, 404, problem('Not found', 'file_not_found'));
    const title = { title: 'A' };
    await service.expectAnswer('PATCH', '/assets/linked/a.png', title, 404, problem('Not found', 'file_not_found'));
    expect(await row()).toBeUndefined();
  });

  test('goes into the trash and back, and has no row there again', async () => {
    await service.expectAnswer('DELETE', '/storage/linked/a.png?trash=true', undefined, 200, expect.anything());
    const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
    const answer = await service.call('POST', `/trash/${items[0]?.id}/restore`);
    expect([answer.status, answer.json()]).toEqual([200, { success: true, path: 'linked/a.png' }]);
    expect((await service.call('GET', '/t/linked/a.png')).status).toBe(200);
    expect(await row()).toBeUndefined();
  });

  test('has no row either when a link has come to the place that its folder is restored to', async () => {
    await service.store('plain/deep/b.png');
    await service.expectAnswer(
      'DELETE',
      '/storage/plain/deep?recursive=true&trash=true',
      undefined,
      200,
      expect.anything(),
    );
    const plain = join(service.originals, 'plain');
    const elsewhere = join(service.originals, 'elsewhere');
    await rename(plain, elsewhere);
    await symlink('elsewhere', plain);
    const { items } = (await service.call('GET', '/trash')).json() as { items: { id: string }[] };
    const answer = await service.call('POST', `/trash/${items[0]?.id}/restore`);
    expect([answer.status, answer.json()]).toEqual([200, { success: true, path: 'plain/deep' }]);
    expect((await service.call('GET', '/t/plain/deep/b.png')).status).toBe(200);
    expect(await service.services.catalog.folders.find(parsePath('plain/deep'))).toBeUndefined();
  });
});
