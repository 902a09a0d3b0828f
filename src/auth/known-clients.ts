import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { clockOf } from '../db/clock.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { KnownClients } from './sign-in-backoff.ts';
import { deriveKey } from './signature.ts';

export interface KnownClientsOptions {
  /** Returns the secret for the key of the hashes. Called on first use, since it is stored in the database. */
  secret: () => string;
  /** Maximum number of clients of an account; the least recently used is deleted. 0 stores none. */
  max: number;
  /** Days between a client's last sign-in and its deletion. */
  days: number;
  /** Unix milliseconds. Default: the clock of the database. */
  now?: () => number;
}

const DAY_MS = 86_400_000;

/**
 * Stores the clients (an IPv4 address, or an IPv6 network of 64 bits) that have signed in to an account. They survive
 * restarts, sign-outs and another e-mail address, and all nodes on one database share them.
 */
export function createKnownClients(
  { db }: Pick<OpenDatabase, 'db'>,
  { secret, max, days, now }: KnownClientsOptions,
): KnownClients {
  const time = clockOf(db, now);
  const nameOf = createNames(secret);
  return {
    async has(email, client) {
      // No account has such an address, and PostgreSQL refuses the text.
      if (email.includes('\0')) return false;
      const found = await db
        .selectFrom('sign_in_client')
        .innerJoin('user', 'user.id', 'sign_in_client.userId')
        .select('sign_in_client.client')
        .where('user.email', '=', email.toLowerCase())
        .where('sign_in_client.client', '=', nameOf(client))
        .where('sign_in_client.usedAt', '>', time(-days * DAY_MS))
        .executeTakeFirst();
      return found !== undefined;
    },

    async add(email, client) {
      const user = await db.selectFrom('user').select('id').where('email', '=', email.toLowerCase()).executeTakeFirst();
      if (user === undefined || max === 0) return;
      await db
        .insertInto('sign_in_client')
        .values({ userId: user.id, client: nameOf(client), usedAt: time() })
        .onConflict((conflict) => conflict.columns(['userId', 'client']).doUpdateSet({ usedAt: time() }))
        .execute();
      const newest = db.selectFrom('sign_in_client').select('client').where('userId', '=', user.id);
      await db
        .deleteFrom('sign_in_client')
        .where('userId', '=', user.id)
        .where(({ or, eb }) =>
          or([
            eb('usedAt', '<=', time(-days * DAY_MS)),
            eb('client', 'not in', newest.orderBy('usedAt', 'desc').orderBy(sql`client`).limit(max)),
          ]),
        )
        .execute();
    },
  };
}

/** Names clients by keyed hashes: there are too few addresses for a plain hash to hide them. */
function createNames(secret: () => string): (client: string) => string {
  let key: Buffer | undefined;
  return (client) => {
    key ??= deriveKey(secret(), 'sign-in-clients');
    return createHmac('sha256', key).update(client).digest('base64url');
  };
}
