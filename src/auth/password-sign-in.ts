import { APIError } from 'better-auth/api';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';

/** Who may sign in with a password: everyone who has one, owners of the installation, or nobody. */
export type PasswordSignIn = 'true' | 'owners' | 'false';

/** Code of the error. */
export const PASSWORD_SIGN_IN_DISABLED = 'PASSWORD_SIGN_IN_DISABLED';

/**
 * Called once the password was correct, so that the answer to a wrong one does not reveal who is an owner.
 * @throws APIError 403
 */
export async function assertMaySignIn(db: Kysely<Schema>, who: PasswordSignIn, userId: string): Promise<void> {
  if (who === 'true' || (who === 'owners' && (await isOwner(db, userId)))) return;
  throw new APIError('FORBIDDEN', { code: PASSWORD_SIGN_IN_DISABLED, message: 'Passwords are not accepted' });
}

async function isOwner(db: Kysely<Schema>, userId: string): Promise<boolean> {
  const roles = db.selectFrom('member').select('role').where('userId', '=', userId).where('space', '=', '');
  return (await roles.executeTakeFirst())?.role === 'owner';
}
