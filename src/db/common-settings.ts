import type { Kysely } from 'kysely';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { ADMIN } from '../runtime/packed.ts';
import { lockUntilEnd } from './locks.ts';
import type { OpenDatabase, Schema } from './schema.ts';
import { readSetting, removeSetting, writeSetting } from './setting-rows.ts';

const NAME = 'common settings';

/** Hashes of settings, by the name of their variable. */
export type Fingerprints = Readonly<Record<string, string>>;

const agreement = z.object({ fingerprints: z.record(z.string(), z.string()), nodes: z.array(z.string()) });

/** The nodes of the installation. */
interface Nodes {
  /** Name of this node. */
  node: string;
  isAlive(node: string): Promise<boolean>;
}

/**
 * Keeps a node from running next to others whose answers to the same URL would differ: it has other files, signatures,
 * presets or limits.
 * @param readOwn returns the fingerprints of this node
 * @throws Error that names the variables
 */
export async function assertCommonSettings(
  { db, dialect, whenAvailable }: OpenDatabase,
  nodes: Nodes,
  readOwn: () => Promise<Fingerprints>,
): Promise<void> {
  if (dialect === 'sqlite') return;
  await whenAvailable(async () => {
    const own = await readOwn();
    // A node whose settings cannot be compared may run.
    const isAlive = (node: string) => nodes.isAlive(node).catch(() => true);
    const different = await agreeOnSettings(db, nodes.node, own, isAlive);
    if (different.length === 0) return;
    throw new Error(
      `Expected the same settings on all nodes, found others than those of the nodes that run: ${different.join(', ')}. To change ` +
        `one without stopping all, run "${ADMIN} change-settings" first.`,
    );
  });
}

/**
 * Ensures that all nodes have the same settings. The first node decides, and again the first one after all have ended.
 * @param node name of this node
 * @param isAlive returns true if the node of this name runs
 * @returns the variables that differ from those of running nodes; none when this node may join them
 */
export async function agreeOnSettings(
  db: Kysely<Schema>,
  node: string,
  own: Fingerprints,
  isAlive: (node: string) => Promise<boolean>,
): Promise<string[]> {
  return db.transaction().execute(async (transaction) => {
    await lockUntilEnd(transaction, NAME);
    const stored = await readSetting(transaction, NAME);
    const known = agreement.safeParse(parseJson(stored ?? '')).data ?? { fingerprints: {}, nodes: [] };
    const others = await alive(known.nodes, isAlive);
    // A newer version may know more settings than an older one.
    const different = Object.keys(own).filter((name) => (known.fingerprints[name] ?? own[name]) !== own[name]);
    if (others.length > 0 && different.length > 0) return different;
    // An older version knows fewer settings, and must not remove those of the running nodes.
    const fingerprints = others.length > 0 ? { ...known.fingerprints, ...own } : own;
    await writeSetting(transaction, NAME, JSON.stringify({ fingerprints, nodes: [...others, node] }));
    return [];
  });
}

/** Lets the next node that starts set the settings, with any settings of the running nodes. */
export async function deleteAgreement(db: Kysely<Schema>): Promise<void> {
  await removeSetting(db, NAME);
}

async function alive(nodes: readonly string[], isAlive: (node: string) => Promise<boolean>): Promise<string[]> {
  const found: string[] = [];
  for (const node of nodes) if (await isAlive(node)) found.push(node);
  return found;
}
