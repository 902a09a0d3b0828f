import { PLAIN_PASSWORDS } from '../src/auth/passwords.ts';

const { hash, verify } = PLAIN_PASSWORDS;
/** Hashes by password. */
const known = new Map<string, Promise<string> | undefined>();

/**
 * Lets all services of this process share one hash of a password, made by the real function when it is first needed:
 * tests sign in all the time, and scrypt costs a tenth of a second each time. Any other password, and so each wrong one,
 * is hashed every time.
 */
export function knowPassword(password: string): void {
  if (!known.has(password)) known.set(password, undefined);
}

PLAIN_PASSWORDS.hash = async (password) => {
  if (!known.has(password)) return hash(password);
  const made = known.get(password) ?? hash(password);
  known.set(password, made);
  return made;
};

PLAIN_PASSWORDS.verify = async (given) => given.hash === (await known.get(given.password)) || verify(given);
