import type { OpenDatabase } from '../db/schema.ts';
import { Refusal } from './refusal.ts';

/** Maximum number of addresses in a message. */
const MAX_LISTED = 20;

/**
 * Finds the account of a command.
 * @param email its address; not needed where there is one account only
 * @throws Refusal without a matching account, or for several ones
 */
export async function findAccount(
  { db }: Pick<OpenDatabase, 'db'>,
  email: string | undefined,
): Promise<{ id: string; email: string }> {
  const users = db.selectFrom('user').select(['id', 'email']);
  const found = email === undefined ? users : users.where('email', '=', email.toLowerCase());
  const [user, ...others] = await found
    .orderBy('email')
    .limit(MAX_LISTED + 1)
    .execute();
  if (user === undefined) {
    throw new Refusal(email ? `There is no account with the address ${email}.` : 'There is no account yet.');
  }
  if (others.length > 0) {
    const addresses = [user, ...others].slice(0, MAX_LISTED).map((one) => one.email);
    const more = others.length === MAX_LISTED ? ' and others' : '';
    throw new Refusal(`There are several accounts: name one with --email: ${addresses.join(', ')}${more}.`);
  }
  return user;
}
