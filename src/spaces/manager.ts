import type { Kysely, Transaction } from 'kysely';
import { inTransaction, lockUntilEnd, type Within } from '../db/locks.ts';
import { requireMigration } from '../db/migrate.ts';
import { ROLES_MIGRATION } from '../db/migrations.ts';
import type { OpenDatabase, Schema } from '../db/schema.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import { areOnOneBranch, parseNewPath, quote, ROOT, type StoragePath } from '../path.ts';
import { assertNotDeleted, noteDeleted } from './deleted.ts';
import type { Mirror } from './mirror.ts';
import type { PrivateFolders } from './private-folders.ts';
import { findExcess } from './private-limits.ts';
import type { SpaceRegistry } from './registry.ts';
import { readSpaces, writeSpace } from './rows.ts';
import { foldPath, LIBRARY, newSecret, type Space, type SpaceRules } from './space.ts';

/** Rules of a request: null is that of the installation, an absent one stays. */
export type RulesPatch = {
  [Name in Exclude<keyof SpaceRules, 'quota' | 'rateLimit'>]?: SpaceRules[Name] | null | undefined;
} & {
  quota?: LimitsPatch<'bytes' | 'transferPerMonth'> | null | undefined;
  rateLimit?: LimitsPatch<'perAddress' | 'total'> | null | undefined;
};

type LimitsPatch<Name extends string> = { [Key in Name]?: number | null | undefined };

export interface NewSpace extends SpacePatch {
  id: string;
  /** Default: the id. */
  folder?: string | undefined;
}

export interface SpacePatch {
  name?: string | undefined;
  isEnabled?: boolean | undefined;
  hosts?: readonly string[] | undefined;
  rules: RulesPatch;
}

export interface SpaceUpdate extends SpacePatch {
  /** Changes of the list as it is in the transaction: a move may have changed it since the caller read it. */
  privateFolders?: { add: readonly StoragePath[]; remove: readonly StoragePath[] } | undefined;
}

export interface SpaceManagerOptions {
  database: Pick<OpenDatabase, 'db' | 'file'>;
  registry: SpaceRegistry;
  /** Creates a folder of the library. @throws BlobConflict where a file has the path */
  createFolder(folder: StoragePath): Promise<unknown>;
  /** Problems of presets, a line each. */
  checkPresets(presets: Readonly<Record<string, string>>): readonly string[];
  /** Host of the installation; undefined if it is not known. */
  ownHost: string | undefined;
  /** Ends the jobs of a space that is being deleted. */
  endWork?: ((space: Space) => Promise<unknown>) | undefined;
  /** Deletes everything else that belongs to a space: roles, invitations, keys, webhooks. */
  removeBelongings(transaction: Transaction<Schema>, id: string): Promise<void>;
  /** Counts running nodes that would take a key of a space for one of the installation. */
  countOlderNodes?: ((db: Kysely<Schema>) => Promise<number>) | undefined;
  /** What a node without the database has to know; undefined where the database is a local file. */
  mirror?: Pick<Mirror, 'noteReading' | 'write'> | undefined;
  /** Called after a change, before it is acknowledged: notifies the other nodes. @param before the space as it was */
  onChange(before: Space | undefined, after: Space | undefined): Promise<void>;
  /** Unix milliseconds. */
  now?: () => number;
}

/** Maximum number of spaces: all of them are held in memory. */
const MAX_SPACES = 10_000;

export type SpaceManager = ReturnType<typeof createSpaceManager>;

/** Creates, changes and deletes spaces. */
export function createSpaceManager(options: SpaceManagerOptions) {
  const { database, registry, now = Date.now } = options;
  const { db } = database;

  const read = async () => {
    const spaces = await readSpaces(db);
    registry.replace(spaces);
    options.mirror?.noteReading();
  };
  let loading = Promise.resolve();
  // One after the other: an earlier reading must not replace a later one.
  const load = () => {
    loading = loading.catch(() => undefined).then(read);
    return loading;
  };
  const change = createChange(options, load);

  return {
    /** Reads all spaces again. */
    load,
    ...createPrivateFolderChanges(options, change),

    /** @throws HttpProblem 400 for wrong presets, 409 for an id that is or was used, a taken folder or host; BlobConflict */
    async create(wanted: NewSpace, within?: Within): Promise<Space & { secret: string }> {
      const space = toSpace(wanted, now());
      assertPresets(space.rules, options);
      assertPossible(space, await readSpaces(db), options);
      await assertNotDeleted(db, space);
      await options.createFolder(space.folder);
      await change(async (transaction, spaces) => {
        assertPossible(space, spaces, options);
        await assertNotDeleted(transaction, space);
        await assertNoOlderNode(transaction, options);
        // An older version would take a key of the space for one of the installation.
        await requireMigration(transaction, ROLES_MIGRATION);
        await writeSpace(transaction, space);
        return { before: undefined, after: space };
      }, within);
      return space;
    },

    /** @throws HttpProblem 400 for wrong presets and too many private folders, 404, 409 for a taken host */
    async update(id: string, patch: SpaceUpdate, within?: Within): Promise<Space> {
      const { after } = await change(async (transaction, spaces) => {
        const before = id === LIBRARY ? libraryOf(spaces, registry, now()) : requireSpace(spaces, id);
        const space: Space = {
          ...before,
          name: patch.name ?? before.name,
          isEnabled: patch.isEnabled ?? before.isEnabled,
          hosts: patch.hosts === undefined ? before.hosts : hostsOf(patch.hosts),
          rules: withPrivateFolders(mergeRules(before.rules, patch.rules), patch.privateFolders),
        };
        assertPresets(space.rules, options);
        assertHosts(space, spaces, options);
        assertFewFolders(before, space.rules, spaces);
        await writeSpace(transaction, space);
        return { before, after: space };
      }, within);
      return after;
    },

    /**
     * Replaces the secret.
     * @param keepForSeconds period in which the previous one still verifies
     * @throws HttpProblem 404
     */
    async rotateSecret(id: string, keepForSeconds: number, within?: Within) {
      const secret = newSecret();
      const until = now() + keepForSeconds * 1000;
      await change(async (transaction, spaces) => {
        const before = requireSpace(spaces, id);
        const previousSecret = before.secret === undefined ? undefined : { secret: before.secret, until };
        const after = { ...before, secret, previousSecret };
        await writeSpace(transaction, after);
        return { before, after };
      }, within);
      return { secret, previousUntil: new Date(until).toISOString() };
    },

    ...createRemoval(options, change),
  };
}

/** Creates the steps in which a space is deleted. */
function createRemoval(options: SpaceManagerOptions, change: Change) {
  const { now = Date.now } = options;
  return {
    /**
     * Disables a space for its removal, so that nothing new comes, and ends its jobs. A second call does the same.
     * @throws HttpProblem 404
     */
    async close(id: string): Promise<Space> {
      const { after } = await change(async (transaction, spaces) => {
        const before = requireSpace(spaces, id);
        const space = { ...before, isEnabled: false };
        if (before.isEnabled) await writeSpace(transaction, space);
        return { before, after: space };
      }, undefined);
      await options.endWork?.(after);
      return after;
    },

    /** Deletes a space with its roles, invitations, keys and webhooks. Its files stay. @throws HttpProblem 404 */
    async remove(id: string, within?: Within): Promise<Space> {
      const { before } = await change(async (transaction, spaces) => {
        const space = requireSpace(spaces, id);
        await options.removeBelongings(transaction, id);
        await removeRow(transaction, id);
        await noteDeleted(transaction, space, new Date(now()).toISOString());
        return { before: space, after: undefined };
      }, within);
      return before;
    },
  };
}

function toSpace(wanted: NewSpace, now: number): Space & { secret: string } {
  return {
    id: wanted.id,
    name: wanted.name ?? wanted.id,
    folder: parseNewPath(wanted.folder ?? wanted.id),
    isEnabled: wanted.isEnabled ?? true,
    hosts: hostsOf(wanted.hosts ?? []),
    rules: mergeRules({}, wanted.rules),
    secret: newSecret(),
    previousSecret: undefined,
    createdAt: new Date(now).toISOString(),
  };
}

type Change = ReturnType<typeof createChange>;

/** Creates the changes of private folders that go along with other changes. Nothing is purged: all stay as they are. */
function createPrivateFolderChanges({ database, registry, now = Date.now }: SpaceManagerOptions, change: Change) {
  const withLibrary = (spaces: readonly Space[]) => [
    libraryOf(spaces, registry, now()),
    ...spaces.filter(({ id }) => id !== LIBRARY),
  ];

  async function changePrivateFolders(adjust: (spaces: readonly Space[]) => PrivateFolders): Promise<void> {
    await change(async (transaction, spaces) => {
      const present = withLibrary(spaces);
      for (const [id, folders] of adjust(present)) {
        const space = present.find((one) => one.id === id);
        const privateFolders = folders.length > 0 ? folders : null;
        if (space) await writeSpace(transaction, { ...space, rules: mergeRules(space.rules, { privateFolders }) });
      }
      return { before: undefined, after: undefined };
    }, undefined);
  }

  return {
    /** Reads all spaces from the database, and the library. */
    async readAll(): Promise<Space[]> {
      return withLibrary(await readSpaces(database.db));
    },

    /**
     * Replaces private folders of the library and of spaces in one step.
     * @param adjust returns those that change. It may run more than once
     */
    changePrivateFolders,
  };
}

interface Changed {
  before: Space | undefined;
  after: Space | undefined;
}

/** Creates the function that runs a change while no other one runs, on any node. The passed spaces are current. */
function createChange({ database, mirror, onChange }: SpaceManagerOptions, load: () => Promise<void>) {
  return async <T extends Changed>(
    work: (transaction: Transaction<Schema>, spaces: readonly Space[]) => Promise<T>,
    within: Within | undefined,
  ): Promise<T> => {
    const result = await inTransaction(database.db, async (transaction) => {
      await lockUntilEnd(transaction, 'spaces');
      const changed = await work(transaction, await readSpaces(transaction));
      await within?.(transaction);
      return changed;
    });
    const loaded = load();
    // The change is committed: the other nodes have to know it, also if this one cannot read it.
    await loaded.finally(() => Promise.all([onChange(result.before, result.after), mirror?.write()]));
    await database.file.assertDurable();
    return result;
  };
}

async function removeRow(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('space').where('id', '=', id).execute();
}

export function noSpace(id: string) {
  return notFound(`There is no space ${quote(id)}.`, 'space_not_found');
}

function requireSpace(spaces: readonly Space[], id: string): Space {
  const space = id === LIBRARY ? undefined : spaces.find((one) => one.id === id);
  if (!space) throw noSpace(id);
  return space;
}

function libraryOf(spaces: readonly Space[], registry: SpaceRegistry, now: number): Space {
  const stored = spaces.find(({ id }) => id === LIBRARY);
  return stored ?? { ...registry.library(), createdAt: new Date(now).toISOString() };
}

function hostsOf(hosts: readonly string[]): string[] {
  return [...new Set(hosts.map((host) => host.toLowerCase()))];
}

function mergeRules(before: SpaceRules, patch: RulesPatch): SpaceRules {
  const { quota, rateLimit, ...rest } = patch;
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) merged[name] = value;
  for (const [name, limits] of Object.entries({ quota, rateLimit })) {
    if (limits === undefined) continue;
    const named = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
    const others = limits === null ? {} : (before[name as 'quota' | 'rateLimit'] ?? {});
    const all = Object.entries({ ...others, ...Object.fromEntries(named) }).filter(([, value]) => value !== null);
    merged[name] = all.length > 0 ? Object.fromEntries(all) : null;
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as SpaceRules;
}

/** Returns rules with some private folders more, and some less. Moves may have changed the list meanwhile. */
function withPrivateFolders(rules: SpaceRules, change: SpaceUpdate['privateFolders']): SpaceRules {
  if (!change) return rules;
  const { privateFolders: present = [] } = rules;
  const listed = new Map(present.map((folder) => [foldPath(folder), folder]));
  for (const folder of change.remove) listed.delete(foldPath(folder));
  for (const folder of change.add) if (!listed.has(foldPath(folder))) listed.set(foldPath(folder), folder);
  return mergeRules(rules, { privateFolders: listed.size > 0 ? [...listed.values()] : null });
}

function assertPresets({ presets }: SpaceRules, { checkPresets }: SpaceManagerOptions): void {
  const [problem] = presets ? checkPresets(presets) : [];
  if (problem !== undefined) throw badRequest(`In "presets": ${problem}`, 'validation_failed');
}

/** @throws HttpProblem 400 */
function assertFewFolders(before: Space, { privateFolders = [] }: SpaceRules, spaces: readonly Space[]): void {
  const excess = findExcess(before, privateFolders, spaces);
  if (!excess) return;
  const outside = excess.region === LIBRARY ? ' outside of all spaces' : ` in the space ${quote(excess.region)}`;
  const where = before.id === LIBRARY ? outside : '';
  const message = `In "privateFolders": expected at most ${excess.max} folders${where}, received ${excess.count}.`;
  throw badRequest(message, 'validation_failed');
}

function assertPossible(space: Space, spaces: readonly Space[], options: SpaceManagerOptions): void {
  const { id, folder } = space;
  if (spaces.some((one) => one.id === id)) throw conflict(`There is a space ${quote(id)} already.`, 'name_taken');
  if (spaces.length >= MAX_SPACES)
    throw conflict(`Expected at most ${MAX_SPACES} spaces, and all of them exist.`, 'space_conflict');
  if (folder === ROOT) throw badRequest('Expected a folder below the root, received the root.', 'invalid_path');
  const other = spaces.find((one) => one.id !== LIBRARY && areOnOneBranch(foldPath(one.folder), foldPath(folder)));
  if (other) {
    const message = `Expected a folder outside of all spaces, received ${quote(folder)}: ${quote(other.folder)} is that of the space ${quote(other.id)}.`;
    throw conflict(message, 'space_conflict');
  }
  assertHosts(space, spaces, options);
}

/** @throws HttpProblem 409 */
async function assertNoOlderNode(
  transaction: Transaction<Schema>,
  { countOlderNodes }: SpaceManagerOptions,
): Promise<void> {
  const nodes = (await countOlderNodes?.(transaction)) ?? 0;
  if (nodes === 0) return;
  const message = `Expected nodes that know spaces, found ${nodes} of an older version. Update all nodes first.`;
  throw conflict(message, 'older_node_running');
}

function assertHosts({ id, hosts }: Space, spaces: readonly Space[], { ownHost }: SpaceManagerOptions): void {
  for (const host of hosts) {
    if (host === ownHost)
      throw conflict(`Expected another host, received that of the installation: ${quote(host)}.`, 'space_conflict');
    const other = spaces.find((one) => one.id !== id && one.hosts.includes(host));
    if (other) throw conflict(`The host ${quote(host)} is that of the space ${quote(other.id)}.`, 'space_conflict');
  }
}
