import { randomBytes } from 'node:crypto';
import type { OpenDatabase } from '../db/schema.ts';
import { ensureAdmin, hasAccount } from './accounts.ts';
import type { Passwords } from './passwords.ts';
import { isSame } from './signature.ts';

export type Setup = ReturnType<typeof createSetup>;

/** The first visit. Only a person who can read the output of the start may create the one account, so a stranger cannot be first. */
export function createSetup({ db, file }: OpenDatabase, passwords: Passwords) {
  let token: string | undefined;
  return {
    /** Makes the token when there is no account yet. It is valid until the process ends. */
    async open(): Promise<string | undefined> {
      token = (await hasAccount(db)) ? undefined : randomBytes(24).toString('base64url');
      return token;
    },

    /** Whether an account can still be made. */
    isOpen: async () => token !== undefined && !(await hasAccount(db)),

    async complete({ token: presented, ...account }: Record<'token' | 'email' | 'password' | 'name', string>) {
      if (token === undefined) return 'closed';
      if (!isSame(token, presented)) return 'wrong token';
      const isCreated = await ensureAdmin({ db, passwords, ...account });
      await file.assertLasting();
      token = undefined;
      return isCreated ? 'created' : 'closed';
    },
  };
}
