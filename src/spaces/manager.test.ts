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
