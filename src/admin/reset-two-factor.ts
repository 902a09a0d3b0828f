import { auditSystem } from '../audit/audit-rows.ts';
import { resetSecondFactor } from '../auth/second-factor.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { findAccount } from './find-account.ts';
import { COMMAND } from './keys.ts';

/**
 * Turns two-factor authentication of an account off. Its password and its sessions stay.
 * @param email address of the account; not needed where there is one account only
 */
export async function resetTwoFactor({ db }: OpenDatabase, email: string | undefined): Promise<string> {
  const user = await findAccount({ db }, email);
  const within = auditSystem(COMMAND, () => ({ action: 'account.two_factor_disabled', target: user.id }));
  return (await resetSecondFactor(db, user.id, within))
    ? `Two-factor authentication of ${user.email} was turned off.`
    : `Two-factor authentication of ${user.email} is off already.`;
}
