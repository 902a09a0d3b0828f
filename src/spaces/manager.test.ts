import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createSpaceManager, type SpaceManagerOptions } from './manager.ts';
import { createSpaceRegistry, type SpaceRegistry } from './registry.ts';

let folder: string;
let database: OpenDatabase;
let registry: SpaceRegistry;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'space-manager-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  registry = createSpaceRegistry();
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const managerWith = (options: Partial<SpaceManagerOptions>) =>
  createSpaceManager({
    database,
    registry,
    createFolder: async () => undefined,
    checkPresets: () => [],
    ownHost: undefined,
    removeBelongings: async () => undefined,
    onChange: async () => undefined,
    ...options,
  });
const acme = { id: 'acme', rules: {} };

test('a committed change is told to the other nodes also when it cannot be mirrored', async () => {
  const heard: (string | undefined)[] = [];
  const manager = managerWith({
    mirror: { noteReading: () => undefined, write: () => Promise.reject(new Error('no space left')) },
    onChange: async (_, after) => void heard.push(after?.id),
  });
  await expect(manager.create(acme)).rejects.toThrow('no space left');
  expect(heard).toEqual(['acme']);
});

test('an id is used once, and the folder of a deleted space not while the trash has files from it', async () => {
  const manager = managerWith({});
  await manager.create(acme);
  await manager.remove('acme');
  await expect(manager.create({ ...acme, folder: 'elsewhere' })).rejects.toMatchObject({ code: 'space_id_used' });
  const item = { kind: 'file', size: 1, fileCount: 1, deletedAt: 1, expiresAt: 2 };
  await database.db
    .insertInto('trash')
    .values({ id: 'item', path: 'acme/a.png', ...item })
    .execute();
  const other = { id: 'other', folder: 'acme', rules: {} };
  await expect(manager.create(other)).rejects.toMatchObject({ code: 'space_conflict' });
  await database.db.deleteFrom('trash').execute();
  expect(await manager.create(other)).toMatchObject({ id: 'other', folder: 'acme' });
});
