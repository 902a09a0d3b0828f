import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { spawnService, startServiceProcess } from './service-process.ts';

let folder: string;
let taken = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-check-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dataFolder = () => join(folder, `data-${taken++}`);

async function check(environment: Record<string, string>, ...args: string[]) {
  const service = spawnService(environment, args);
  const { code } = await service.exited;
  return { code, stdout: service.stdout(), stderr: service.stderr() };
}

describe('a variable that is probably misspelled', () => {
  const WARNING = 'MAX_FILE_SZE_MB: there is no such setting; is MAX_FILE_SIZE_MB meant?';

  test('is named by --check-config, which goes on', async () => {
    const found = await check({ DATA_DIR: dataFolder(), MAX_FILE_SZE_MB: '5' }, '--check-config');
    expect(found).toEqual({ code: 0, stdout: 'The configuration is valid.\n', stderr: `${WARNING}\n` });
  });

  test('is named in the log of a start', async () => {
    const service = await startServiceProcess({ DATA_DIR: dataFolder(), MAX_FILE_SZE_MB: '5' });
    await service.end('SIGTERM');
    const lines = service
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ level: 40, msg: WARNING }));
  });
});

describe('--check-config=deep', () => {
  const deep = (environment: Record<string, string>) => check(environment, '--check-config=deep');

  test('says what is there and leaves nothing behind', async () => {
    const data = join(dataFolder(), 'deeper');
    const { code, stdout, stderr } = await deep({ DATA_DIR: data });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'folder:',
      'database:',
      'fonts:',
      'ffmpeg:',
      'port:',
      'The',
      '',
    ]);
    expect(stdout).toContain(`folder: ${data} can be created`);
    expect(stdout).toContain('database: is created by the first start');
    expect(await readdir(folder)).not.toContain(`data-${taken - 1}`);
  });

  test('looks at what a service has left, and changes nothing of it', async () => {
    const data = dataFolder();
    await (await startServiceProcess({ DATA_DIR: data })).end('SIGTERM');
    const before = await readdir(data, { recursive: true });
    const { code, stdout } = await deep({ DATA_DIR: data });
    expect(code).toBe(0);
    expect(stdout).toContain(`database: ${join(data, 'darkroom.db')} opens`);
    expect(await readdir(data, { recursive: true })).toEqual(before);
  });

  test('names the fonts that cannot be used, which do not keep a start from going on', async () => {
    const data = dataFolder();
    await mkdir(join(data, 'fonts'), { recursive: true });
    await writeFile(join(data, 'fonts', 'brand.woff2'), 'wOF2 and more bytes');
    const said = `The font ${join(data, 'fonts', 'brand.woff2')} is WOFF; only TTF and OTF can be used.`;
    const { code, stdout } = await deep({ DATA_DIR: data });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^fonts: \d+ families; 0 files of /m);
    expect(stdout).toContain(said);
    const service = await startServiceProcess({ DATA_DIR: data });
    await service.end('SIGTERM');
    expect(service.stdout()).toContain(said);
  });

  test('finds a module for traces that is not there', async () => {
    const module = join(dataFolder(), 'tracing.mjs');
    const { code, stderr } = await deep({ DATA_DIR: dataFolder(), TRACING_MODULE: module });
    expect(code).toBe(1);
    expect(stderr).toContain(`tracing: TRACING_MODULE: expected a readable file, received ${module}`);
  });

  test('finds a port that is taken, beside everything else', async () => {
    const running = await startServiceProcess({ DATA_DIR: dataFolder() });
    const { port } = new URL(running.url);
    const { code, stdout, stderr } = await deep({ DATA_DIR: dataFolder(), PORT: port });
    await running.end('SIGTERM');
    expect([code, stderr]).toEqual([1, `port: ${port} on 127.0.0.1 is in use, perhaps by the running service\n`]);
    expect(stdout).not.toContain('is valid');
  });

  test('finds folders that cannot be used', async () => {
    expect((await deep({ DATA_DIR: '/sys/darkroom' })).stderr).toMatch(
      /^folder: DATA_DIR: \/sys\/darkroom .*cannot be written.*\n$/,
    );
    const data = dataFolder();
    await mkdir(data);
    await writeFile(join(data, 'originals'), '');
    const found = await deep({ DATA_DIR: data });
    expect([found.code, found.stderr]).toEqual([1, `folder: DATA_DIR: ${join(data, 'originals')} is no folder\n`]);
    await rm(join(data, 'originals'));
    await symlink('/dev/shm', join(data, 'originals'));
    expect((await deep({ DATA_DIR: data })).stderr).toBe(
      `folder: DATA_DIR: ${join(data, 'originals')} lies on another file system than DATA_DIR\n`,
    );
    expect(await readdir(data)).toEqual(['originals']);
  });

  test.each(['originals', 'variants', 'tmp', 'uploads', 'staged', 'attic'])(
    'names DATA_DIR where its folder %s cannot be used',
    async (name) => {
      const data = dataFolder();
      await mkdir(data);
      await writeFile(join(data, name), '');
      const found = await deep({ DATA_DIR: data });
      expect([found.code, found.stderr]).toEqual([1, `folder: DATA_DIR: ${join(data, name)} is no folder\n`]);
    },
  );

  test('names the folder of fonts once, and the setting that it lies in', async () => {
    const data = dataFolder();
    await mkdir(data);
    await writeFile(join(data, 'fonts'), '');
    const { code, stderr } = await deep({ DATA_DIR: data });
    expect(code).toBe(1);
    expect(stderr).toContain(`fonts: Fonts cannot be read from ${join(data, 'fonts')}, a folder in DATA_DIR: ENOTDIR`);
    const named = await deep({ DATA_DIR: dataFolder(), FONTS_DIR: join(data, 'fonts') });
    expect(named.stderr).toContain(`FONTS_DIR: expected a folder that can be read, received ${join(data, 'fonts')}: `);
  });

  test('finds a database that does not open', async () => {
    const data = dataFolder();
    await mkdir(data);
    await writeFile(join(data, 'darkroom.db'), 'no database at all, but long enough to be taken for the header of one');
    const { code, stderr } = await deep({ DATA_DIR: data });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^database: .* is not a SQLite database\.\n$/)]);
  });

  test('tries the migrations of a database and takes them back', async () => {
    const data = dataFolder();
    await mkdir(data);
    const file = join(data, 'darkroom.db');
    const sqlite = new Database(file);
    sqlite.exec('create table older (name text)');
    expect(await deep({ DATA_DIR: data })).toMatchObject({ code: 0, stdout: expect.stringContaining(`${file} opens`) });
    expect(sqlite.prepare('select name from sqlite_master').all()).toEqual([{ name: 'older' }]);
    sqlite.close();
  });

  test('finds a bucket that does not answer', async () => {
    const { code, stderr } = await deep({
      DATA_DIR: dataFolder(),
      STORAGE_BUCKET_NAME: 'media',
      STORAGE_ACCESS_KEY_ID: 'id',
      STORAGE_SECRET_ACCESS_KEY: 'not-to-be-shown',
      STORAGE_ENDPOINT: 'http://127.0.0.1:1',
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^bucket: The storage of "media" does not answer .*\n$/)]);
    expect(stderr).not.toContain('not-to-be-shown');
  });
});

test('--help tells the options and starts nothing', async () => {
  for (const help of ['--help', '-h']) {
    const { code, stdout, stderr } = await check({ PORT: 'wrong' }, help);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('--check-config=deep');
  }
});

test.each([[['--check-confg']], [['start']], [['--check-config', 'deep']]])(
  '%j is refused, and nothing is started',
  async (args) => {
    const { code, stdout, stderr } = await check({ DATA_DIR: dataFolder() }, ...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Darkroom cannot start: Expected no option or one of the following, received .*\n/);
    expect(await readdir(folder)).not.toContain(`data-${taken - 1}`);
  },
);
