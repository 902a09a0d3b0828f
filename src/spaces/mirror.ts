import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { hasCode } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { StoragePath } from '../path.ts';
import { replaceFile } from '../storage/disk/write.ts';
import type { Space, SpaceRules } from './space.ts';

const mirrored = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    folder: z.string(),
    isEnabled: z.boolean(),
    hosts: z.array(z.string()),
    rules: z.record(z.string(), z.unknown()),
  }),
);

/**
 * Writes the spaces, without their secrets, into a local file: a node that starts while the database is unreachable
 * delivers images, and must not deliver what rules withhold.
 */
export async function writeMirror(file: string, spaces: readonly Space[]): Promise<void> {
  const kept = spaces.map(({ id, name, folder, isEnabled, hosts, rules }) => ({
    id,
    name,
    folder,
    isEnabled,
    hosts,
    rules,
  }));
  await replaceFile(file, JSON.stringify(kept));
}

/** Reads the spaces of the last start; none without a file. Their secrets are unknown. */
export async function readMirror(file: string): Promise<Space[]> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (hasCode(error, 'ENOENT')) return '[]';
    throw error;
  });
  const spaces = mirrored.parse(parseJson(text));
  return spaces.map(({ folder, rules, ...space }) => ({
    ...space,
    folder: folder as StoragePath,
    rules: rules as SpaceRules,
    secret: undefined,
    previousSecret: undefined,
    createdAt: undefined,
  }));
}
