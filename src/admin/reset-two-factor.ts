import { auditSystem } from '../audit/audit-rows.ts';
import { resetSecondFactor } from '../auth/second-factor.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { COMMAND } from './keys.ts';
import { Refusal } from './refusal.ts';

/**
 * Turns two-factor authentication of an account off. Its password and its sessions stay.
 * @param email address of the account; not needed where there is one account only
 */
export async function resetTwoFactor({ db }: OpenDatabase, email: string | undefined): Promise<string> {
  const users = await db
    .selectFrom('user')
    .select(['id', 'email'])
    .$if(email !== undefined, (query) => query.where('email', '=', email?.toLowerCase() ?? ''))
    .limit(2)
    .execute();
  const [user, other] = users;
  if (user === undefined) {
    throw new Refusal(email ? `There is no account with the address ${email}.` : 'There is no account yet.');
  }
  if (other !== undefined) throw new Refusal('Expected --email <address>, because there is more than one account.');
  const within = auditSystem(COMMAND, () => ({ action: 'account.two_factor_disabled', target: user.id }));
  return (await resetSecondFactor(db, user.id, within))
    ? `Two-factor authentication of ${user.email} was turned off.`
    : `Two-factor authentication of ${user.email} is off already.`;
}
