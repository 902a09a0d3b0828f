import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/db/migrations.ts';
import { ask, fixture } from '../http.ts';
import { spawnService } from '../process/service-process.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

const PHOTO = fixture('portrait-face.jpg');
const LATEST = Object.keys(MIGRATIONS).at(-1);
const NEWER = '999-a-later-release';

describeOnBoth('a node beside a newer version', () => {
  let installation: Installation;
  let folder: string;
  let node: Node;
  beforeAll(async () => {
    installation = await newInstallation();
    node = await installation.start();
    folder = await mkdtemp(join(tmpdir(), 'darkroom-node-'));
  });
  afterAll(async () => {
    await installation.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function query(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: installation.databaseUrl });
    await client.connect();
    for (const text of statements) await client.query(text);
    await client.end();
  }
  const compatibleFrom = (migration: string | undefined) =>
    query(`update setting set value = '${migration}' where name = 'schema.compatible_from'`);

  test('goes on and starts again while that only adds to the tables', async () => {
    await installation.upload(node, 'before.jpg', PHOTO);
    await query(
      'alter table job add column "laterColumn" text',
      'create table later_table (id integer primary key)',
      `insert into kysely_migration (name, timestamp) values ('${NEWER}', '2030-01-01')`,
    );
    await compatibleFrom(LATEST);
    await installation.upload(node, 'beside.jpg', PHOTO);
    await node.end('SIGKILL');
    node = await installation.start();
    await installation.upload(node, 'restarted.jpg', PHOTO);
    for (const name of ['before', 'beside', 'restarted'])
      expect((await ask(node.url, `/t/w_50,f_webp/${name}.jpg`)).status).toBe(200);
  });

  test('does not start any more when the tables do not fit, while one that runs goes on', async () => {
    await compatibleFrom(NEWER);
    const refused = spawnService({ ...installation.environment, DATA_DIR: folder });
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(refused.stderr()).toContain(`a newer version has changed its tables (${NEWER})`);
    await installation.upload(node, 'still-running.jpg', PHOTO);
  });
});
