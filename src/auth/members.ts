import type { Transaction } from 'kysely';
import type { Within } from '../db/locks.ts';
import { requireMigration } from '../db/migrate.ts';
import { ROLES_MIGRATION } from '../db/migrations.ts';
import type { MemberRow, OpenDatabase, Schema } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import { INSTALLATION } from '../installation.ts';
import { quote } from '../path.ts';
import { createCommit } from './commit.ts';
import {
  type Actor,
  assertMayGrant,
  assertNotLastOwner,
  deleteWithoutRole,
  insertMember,
  isLastOwner,
  lockMembers,
  withdrawInvitations,
} from './member-rows.ts';
import { compareRoles, type Role, storedRole } from './roles.ts';

/** Role of a person in the installation or in a space. */
export interface Member {
  userId: string;
  name: string;
  email: string;
  role: Role;
  /** `oidc` for a role that each sign-in through the identity provider sets. */
  source: MemberRow['source'];
  /** True if the account has a second factor. */
  twoFactor: boolean;
  createdAt: string;
}

/** A change of the role of a user in a space, or in the installation. */
export interface MemberChange {
  userId: string;
  space: string;
  actor: Actor;
  within?: Within | undefined;
}

export interface ClaimedRole {
  space: string;
  role: Role;
}

/** A change of a role by the claims of an identity provider. */
export interface ClaimedChange extends Pick<MemberChange, 'userId' | 'space'> {
  /** Undefined without a role before. */
  before: string | undefined;
  /** Undefined for a role that was removed. */
  after: Role | undefined;
}

export interface MembersOptions {
  database: Pick<OpenDatabase, 'db' | 'file'>;
  /** Called before a change of a role is acknowledged. */
  onChange(): Promise<void>;
}

export type Members = ReturnType<typeof createMembers>;

/** Reads and changes the roles of people. A space is its id; `''` is the installation. */
export function createMembers(options: MembersOptions) {
  const { database } = options;
  const commit = createCommit(options);
  return {
    /** Returns the ids of the spaces in which a user has a role. */
    spacesOf: (userId: string) => spacesOf(database.db, userId),
    /** Lists the members of a space, oldest first, without those of the installation. */
    list: (space: string) => membersOf(database, space),
    /** @throws HttpProblem 403 above the own role, 404, 409 for the last owner */
    change: (change: MemberChange & { role: Role }) => commit((transaction) => changeRole(transaction, change)),
    /** Removes a role. An account without another one is deleted. @throws HttpProblem as `change` */
    remove: (change: MemberChange) => commit((transaction) => removeRole(transaction, change)),
    /**
     * Replaces the roles of a user that an identity provider gave. Roles given by people stay, and so does the
     * installation's last owner. An account without any role is deleted.
     * @param within called if a role changes
     * @returns true if the user has a role
     */
    async setClaimedRoles(
      userId: string,
      roles: readonly ClaimedRole[],
      within?: Within<readonly ClaimedChange[]>,
    ): Promise<boolean> {
      const { hasRole } = await commit(
        (transaction) => replaceClaimed(transaction, userId, roles, within),
        // Most sign-ins change nothing: other people keep what nodes have cached.
        ({ changes }) => changes.length > 0,
      );
      return hasRole;
    },
  };
}

type Database = OpenDatabase['db'];

async function spacesOf(db: Database, userId: string): Promise<string[]> {
  const rows = db.selectFrom('member').select('space').where('userId', '=', userId);
  return (await rows.where('space', '!=', INSTALLATION).execute()).map(({ space }) => space);
}

function selectMembers(db: Database, space: string) {
  return db
    .selectFrom('member')
    .innerJoin('user', 'user.id', 'member.userId')
    .select(['userId', 'name', 'email', 'role', 'source', 'twoFactorEnabled', 'member.createdAt'])
    .where('space', '=', space);
}

function toMember(row: Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>): Member {
  const { twoFactorEnabled, role, ...member } = row;
  return { ...member, role: storedRole(role), twoFactor: twoFactorEnabled !== 0 };
}

async function membersOf({ db }: Pick<OpenDatabase, 'db'>, space: string): Promise<Member[]> {
  const rows = selectMembers(db, space).orderBy('member.createdAt').orderBy('userId');
  return (await rows.execute()).map(toMember);
}

/** @throws HttpProblem 404 */
async function memberOf(db: Database, { userId, space }: Pick<MemberChange, 'userId' | 'space'>): Promise<Member> {
  const row = await selectMembers(db, space).where('userId', '=', userId).executeTakeFirst();
  if (!row) throw notFound(`No member has the id ${quote(userId)}.`, 'member_not_found');
  return toMember(row);
}

async function changeRole(transaction: Transaction<Schema>, change: MemberChange & { role: Role }): Promise<Member> {
  const { userId, space, role, actor, within } = change;
  await lockMembers(transaction);
  const member = await memberOf(transaction, change);
  await assertMayGrant(transaction, actor, space, [member.role, role]);
  if (space === INSTALLATION && role !== 'owner') await assertNotLastOwner(transaction, userId);
  // Given by a person from now on: the next sign-in must not undo it.
  const row = transaction.updateTable('member').set({ role, source: 'given' });
  await row.where('userId', '=', userId).where('space', '=', space).execute();
  await withdrawInvitations(transaction, userId);
  await within?.(transaction);
  return { ...member, role, source: 'given' };
}

async function removeRole(transaction: Transaction<Schema>, change: MemberChange): Promise<Member> {
  const { userId, space, actor, within } = change;
  await lockMembers(transaction);
  const member = await memberOf(transaction, change);
  await assertMayGrant(transaction, actor, space, [member.role]);
  if (space === INSTALLATION) await assertNotLastOwner(transaction, userId);
  const row = transaction.deleteFrom('member').where('userId', '=', userId);
  await row.where('space', '=', space).execute();
  await withdrawInvitations(transaction, userId);
  await deleteWithoutRole(transaction, userId);
  await within?.(transaction);
  return member;
}

async function replaceClaimed(
  transaction: Transaction<Schema>,
  userId: string,
  roles: readonly ClaimedRole[],
  within: Within<readonly ClaimedChange[]> | undefined,
): Promise<{ hasRole: boolean; changes: readonly ClaimedChange[] }> {
  const claimed = new Map<string, Role>();
  for (const { space, role } of roles) {
    const known = claimed.get(space);
    if (known === undefined || compareRoles(role, known) > 0) claimed.set(space, role);
  }
  await lockMembers(transaction);
  if (await isLastOwner(transaction, userId)) claimed.set(INSTALLATION, 'owner');
  const rows = await transaction.selectFrom('member').selectAll().where('userId', '=', userId).execute();
  const before = new Map<string, string>();
  for (const { space, source, role } of rows) {
    if (source === 'oidc' && claimed.get(space) !== role) {
      const row = transaction.deleteFrom('member').where('userId', '=', userId);
      await row.where('space', '=', space).execute();
      before.set(space, role);
    } else claimed.delete(space);
  }
  for (const [space, role] of claimed) await insertMember(transaction, { userId, space, role, source: 'oidc' });
  const changes = [...new Set([...before.keys(), ...claimed.keys()])].map((space) => ({
    userId,
    space,
    before: before.get(space),
    after: claimed.get(space),
  }));
  // An older version would give a session of this person all permissions.
  if (roles.length > 0) await requireMigration(transaction, ROLES_MIGRATION);
  await withdrawInvitations(transaction, userId);
  const isDeleted = await deleteWithoutRole(transaction, userId);
  if (changes.length > 0) await within?.(transaction, changes);
  return { hasRole: !isDeleted, changes };
}
