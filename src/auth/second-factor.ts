import type { GenericEndpointContext } from '@better-auth/core';
import { APIError, getSessionFromCtx } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Kysely } from 'kysely';
import { inTransaction, type Within } from '../db/locks.ts';
import type { Schema } from '../db/schema.ts';
import type { UsedCodes } from './used-codes.ts';

const VERIFY_TOTP = '/two-factor/verify-totp';

/** Endpoints of the plugin that are served over HTTP. Codes by e-mail and trusted devices are not among them. */
export const SECOND_FACTOR_PATHS: readonly string[] = [
  '/two-factor/enable',
  '/two-factor/disable',
  VERIFY_TOTP,
  '/two-factor/verify-backup-code',
];

/** Wrong codes in a row after which the second factor of an account is locked. */
const MAX_WRONG_CODES = 10;
export const LOCK_SECONDS = 900;
export const BACKUP_CODES = 10;

/** A code is valid for 90 s; the rest is for nodes whose clocks differ. */
const CODE_MS = 120_000;

/** One-time passwords of an authenticator app (RFC 6238: 6 digits, 30 s), and backup codes. */
export function secondFactor() {
  return twoFactor({
    totpOptions: { digits: 6, period: 30 },
    backupCodeOptions: { amount: BACKUP_CODES, storeBackupCodes: 'encrypted' },
    accountLockout: { enabled: true, maxFailedAttempts: MAX_WRONG_CODES, durationSeconds: LOCK_SECONDS },
  });
}

/**
 * Refuses a one-time password that its owner used before; the plugin would accept it again. It is claimed before it is
 * compared, so that two requests with one code cannot both pass.
 * @throws APIError 401
 */
export async function claimCode(context: GenericEndpointContext, usedCodes: UsedCodes): Promise<void> {
  if (context.path !== VERIFY_TOTP) return;
  const user = (await userOfSession(context)) ?? (await userOfChallenge(context));
  // Without a user no code could be claimed.
  if (user === undefined) throw new APIError('UNAUTHORIZED', { message: 'The sign-in has expired: sign in again' });
  const code: unknown = context.body?.code;
  if (!(await usedCodes.claim(`totp ${user} ${String(code)}`, CODE_MS))) {
    throw new APIError('UNAUTHORIZED', { message: 'This code was used before: wait for the next one' });
  }
}

async function userOfSession(context: GenericEndpointContext): Promise<string | undefined> {
  const session = await getSessionFromCtx(context, { disableRefresh: true });
  return session?.user.id;
}

/** The user whose password was correct, and whose code is expected. */
export async function userOfChallenge(context: GenericEndpointContext): Promise<string | undefined> {
  const challenge = await challengeOf(context);
  if (!challenge) return undefined;
  const found = await context.context.internalAdapter.findVerificationValue(challenge);
  return found?.value;
}

/** Names of the plugin: of a challenge, and of the number of its attempts. */
const CHALLENGE = /^2fa-(?!attempts-)/;

/**
 * Stores the space at whose host a challenge begins, before the challenge itself. The plugin stores the user only, so a
 * code that is verified at another host would begin a session without the restriction.
 */
export async function restrictChallenge(
  { context }: GenericEndpointContext,
  { identifier, expiresAt }: { identifier: string; expiresAt: Date },
  space: string,
): Promise<void> {
  if (!CHALLENGE.test(identifier)) return;
  await context.internalAdapter.createVerificationValue({
    identifier: restrictionOf(identifier),
    value: space,
    expiresAt,
  });
}

/** The space to which the challenge of a request is restricted; undefined without one. */
export async function spaceOfChallenge(context: GenericEndpointContext): Promise<string | undefined> {
  const challenge = await challengeOf(context);
  if (!challenge) return undefined;
  const found = await context.context.internalAdapter.findVerificationValue(restrictionOf(challenge));
  return found?.value;
}

const restrictionOf = (challenge: string) => `space of ${challenge}`;

function challengeOf(context: GenericEndpointContext) {
  const { name } = context.context.createAuthCookie('two_factor');
  return context.getSignedCookie(name, context.context.secret);
}

/**
 * Turns the second factor of an account off.
 * @param within called in the transaction, if it was on
 * @returns true if it was on
 */
export async function resetSecondFactor(db: Kysely<Schema>, userId: string, within?: Within): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('twoFactor')
      .where('userId', '=', userId)
      .executeTakeFirstOrThrow();
    await transaction
      .updateTable('user')
      .set({ twoFactorEnabled: 0, updatedAt: new Date().toISOString() })
      .where('id', '=', userId)
      .execute();
    const wasOn = numDeletedRows > 0n;
    if (wasOn) await within?.(transaction);
    return wasOn;
  });
}
