import { insertAccount } from '../src/auth/accounts.ts';
import { insertMember } from '../src/auth/member-rows.ts';
import { PLAIN_PASSWORDS } from '../src/auth/passwords.ts';
import type { Role } from '../src/auth/roles.ts';
import type { OpenDatabase } from '../src/db/schema.ts';
import { knowPassword } from './known-passwords.ts';
import type { TestService } from './service.ts';

/** Password of all people that tests add. */
export const PASSWORD = 'a long enough password';

let people = 0;

export interface PersonOptions {
  role: Role;
  space?: string;
  source?: 'given' | 'oidc';
  email?: string;
  passwordHash?: string;
}

/** Adds an account with a role; returns its id. Without a hash nobody can sign in to it. */
export function insertPerson({ db }: Pick<OpenDatabase, 'db'>, options: PersonOptions): Promise<string> {
  const { role, space = '', source = 'given', passwordHash = 'none' } = options;
  const { email = `${role}-${people++}@example.com` } = options;
  return db.transaction().execute(async (transaction) => {
    const { id } = await insertAccount(transaction, { email, name: email.split('@')[0] ?? '', passwordHash });
    await insertMember(transaction, { userId: id, space, role, source });
    return id;
  });
}

export interface Person {
  userId: string;
  email: string;
  /** The cookie of a session, as a browser sends it back. */
  cookie: string;
}

/**
 * Signs in to an account; returns the cookie of the session. Not over HTTP: better-auth counts sign-ins of an address
 * for all services of a process together.
 */
export async function cookieOf({ services }: TestService, email: string): Promise<string> {
  const signedIn = await services.auth.api.signInEmail({ body: { email, password: PASSWORD }, returnHeaders: true });
  return signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Adds an account with a role to a service, and signs it in. */
export async function addPerson(service: TestService, options: PersonOptions): Promise<Person> {
  const email = options.email ?? `${options.role}-${people++}@example.com`;
  knowPassword(PASSWORD);
  const passwordHash = await PLAIN_PASSWORDS.hash(PASSWORD);
  const userId = await insertPerson(service.services.database, { ...options, email, passwordHash });
  return { userId, email, cookie: await cookieOf(service, email) };
}
