import type { Transaction } from 'kysely';
import { lockUntilEnd } from '../db/locks.ts';
import type { MemberRow, Schema } from '../db/schema.ts';
import { conflict, forbidden } from '../errors.ts';
import { INSTALLATION } from '../installation.ts';
import { compareRoles, highestRole, isRole, ROLE_OF_ADMIN_KEYS, type Role } from './roles.ts';

/** Who changes roles: a user, or an API key with the permission `admin`. */
export type Actor = { readonly type: 'user' | 'key'; readonly id: string };

/** Serializes all changes of roles: the last owner must not go while another owner goes. */
export async function lockMembers(transaction: Transaction<Schema>): Promise<void> {
  await lockUntilEnd(transaction, 'members');
}

export async function insertMember(
  transaction: Transaction<Schema>,
  member: Omit<MemberRow, 'createdAt' | 'role'> & { role: Role },
): Promise<void> {
  await transaction
    .insertInto('member')
    .values({ ...member, createdAt: new Date().toISOString() })
    .execute();
}

/** The role of a user in a space, by the installation or by the space itself; undefined without one. */
export async function roleWithin(
  transaction: Transaction<Schema>,
  userId: string,
  space: string,
): Promise<Role | undefined> {
  const rows = transaction.selectFrom('member').select('role').where('userId', '=', userId);
  const here = await rows.where('space', 'in', [INSTALLATION, space]).execute();
  return highestRole(here.map(({ role }) => role));
}

/**
 * Requires that an actor may give, change and remove these roles.
 * @throws HttpProblem 403
 */
export async function assertMayGrant(
  transaction: Transaction<Schema>,
  actor: Actor,
  space: string,
  roles: readonly Role[],
): Promise<void> {
  const own = actor.type === 'key' ? ROLE_OF_ADMIN_KEYS : await roleWithin(transaction, actor.id, space);
  if (own === undefined || compareRoles(own, ROLE_OF_ADMIN_KEYS) < 0) {
    // The role has changed since the request was admitted.
    throw forbidden(`This needs the permission "admin"; the role is now: ${own ?? 'none'}.`, 'missing_permission');
  }
  const highest = highestRole(roles);
  if (highest === undefined || compareRoles(highest, own) <= 0) return;
  const holder = actor.type === 'key' ? 'An API key counts as' : 'This account has the role';
  throw forbidden(`The role "${highest}" is above the own one. ${holder} "${own}".`, 'role_too_high');
}

/** @throws HttpProblem 409 when the user is the only owner of the installation */
export async function assertNotLastOwner(transaction: Transaction<Schema>, userId: string): Promise<void> {
  if (!(await isLastOwner(transaction, userId))) return;
  throw conflict('The installation needs an owner, and this is the last one. Make another one first.', 'last_owner');
}

export async function isLastOwner(transaction: Transaction<Schema>, userId: string): Promise<boolean> {
  const owners = transaction.selectFrom('member').select('userId').where('space', '=', INSTALLATION);
  const first = await owners.where('role', '=', 'owner').orderBy('userId').limit(2).execute();
  return first.length === 1 && first[0]?.userId === userId;
}

/**
 * Deletes the account of a user without a role, with its sessions.
 * @returns true if it was deleted
 */
export async function deleteWithoutRole(transaction: Transaction<Schema>, userId: string): Promise<boolean> {
  const left = transaction.selectFrom('member').select('space').where('userId', '=', userId).limit(1);
  if ((await left.executeTakeFirst()) !== undefined) return false;
  // Sessions, credentials and the second factor are deleted with it.
  await transaction.deleteFrom('user').where('id', '=', userId).execute();
  return true;
}

/** Deletes all roles and invitations of a space, and the accounts that have no role left. */
export async function deleteMembersOf(transaction: Transaction<Schema>, space: string): Promise<void> {
  await lockMembers(transaction);
  await transaction.deleteFrom('invitation').where('space', '=', space).execute();
  const rows = await transaction.deleteFrom('member').where('space', '=', space).returning('userId').execute();
  for (const { userId } of rows) await deleteWithoutRole(transaction, userId);
}

/**
 * Deletes open invitations of a user who may no longer create them: nobody who lost a role comes back by an own one.
 */
export async function withdrawInvitations(transaction: Transaction<Schema>, userId: string): Promise<void> {
  const open = transaction.selectFrom('invitation').select(['id', 'space', 'role']).where('createdBy', '=', userId);
  for (const { id, space, role } of await open.execute()) {
    const own = await roleWithin(transaction, userId, space);
    const needed = highestRole([ROLE_OF_ADMIN_KEYS, role]) ?? ROLE_OF_ADMIN_KEYS;
    if (own !== undefined && isRole(role) && compareRoles(own, needed) >= 0) continue;
    await transaction.deleteFrom('invitation').where('id', '=', id).execute();
  }
}
