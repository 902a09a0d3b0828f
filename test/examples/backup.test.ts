import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeWithProgram } from '../deploy/program.ts';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { ROOT } from '../source-files.ts';
import { examplesOf } from './fences.ts';
import { environmentOfReader, runExamples } from './page.ts';

const PAGE = 'docs/backup-and-upgrade.md';
const PHOTO = fixture('portrait-face.jpg');

let folder: string;
let service: TestService;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-backup-'));
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const json = { 'content-type': 'application/json' };
const read = async (path: string) => (await service.authorized(path)).json() as Promise<Record<string, never>>;

await describeWithProgram('the backup of a service that runs', 'sqlite3', 'sqlite3', () =>
  describeWithProgram('with rsync', 'rsync', 'rsync', () => {
    test('has all that was there, and a service that starts on it goes on', async () => {
      const before = join(folder, 'before');
      const after = join(folder, 'after');
      const backup = join(folder, 'backup');
      for (const place of [before, after, backup]) await mkdir(place);
      service = await startService({ DATA_DIR: before });
      await service.upload({ 'rome.jpg': PHOTO, 'gone.jpg': PHOTO });
      const words = JSON.stringify({ alt: 'Rome', tags: ['italy'] });
      await service.authorized('/assets/rome.jpg', { method: 'PATCH', headers: json, body: words });
      await service.authorized('/storage/rome.jpg', {
        method: 'PUT',
        headers: { 'content-type': 'image/jpeg' },
        body: fixture('concert.jpg') as Uint8Array<ArrayBuffer>,
      });
      await service.authorized('/storage/gone.jpg?trash=true', { method: 'DELETE' });
      const [save, restore] = await examplesOf(PAGE);
      if (save === undefined || restore === undefined) throw new Error('The page shows no backup, or no restore.');
      const run = (fence: typeof save, DATA_DIR: string) =>
        runExamples(PAGE, [fence], { url: service.url, environment: { DATA_DIR, BACKUP: backup } });
      await run(save, before);
      expect((await stat(join(backup, 'darkroom.db'))).mode & 0o077).toBe(0);
      // The second one replaces the first.
      await run(save, before);
      await service.close();

      await run(restore, after);
      service = await startService({ DATA_DIR: after });
      expect(await read('/assets/rome.jpg')).toMatchObject({ alt: 'Rome', tags: ['italy'] });
      expect((await read('/storage/rome.jpg/versions')).versions).toMatchObject([{ size: PHOTO.length }]);
      expect((await read('/trash')).items).toMatchObject([{ path: 'gone.jpg' }]);
      expect(Buffer.from(await (await fetch(`${service.url}/t/rome.jpg`)).arrayBuffer())).toEqual(
        fixture('concert.jpg'),
      );
      await expect
        .poll(() => verify(after))
        .toContain('0 stored but not in the catalog, 0 in the catalog but not stored, 0');
    });
  }),
);

async function verify(data: string): Promise<string> {
  const command = promisify(execFile)(process.execPath, [join(ROOT, 'src', 'admin.ts'), 'verify'], {
    env: { ...environmentOfReader(), DATA_DIR: data },
  });
  return (await command.catch(({ stdout }) => ({ stdout }))).stdout;
}
