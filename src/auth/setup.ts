import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { lockUntilEnd } from '../db/locks.ts';
import type { OpenDatabase, Schema, UserRow } from '../db/schema.ts';
import { readSetting, removeSetting, writeSetting } from '../db/setting-rows.ts';
import { parseJson } from '../json.ts';
import { createOwner, hasOwner } from './accounts.ts';
import { hashKey } from './api-key.ts';
import type { Passwords } from './passwords.ts';
import { isSame } from './signature.ts';

/** Nodes of the installation. Any of them may get the first visit. */
export interface SetupNodes {
  /** Name of this node. */
  node: string;
  isAlive(node: string): Promise<boolean>;
}

/** Stored record of the token. */
interface Offer {
  hash: string;
  /** Node that has printed it. */
  node: string;
}

const NAME = 'setup.token';

/**
 * First visit: only someone who can read the output of the start may create the first owner. The token is valid on all
 * nodes. The first node to start prints it; after that node has ended, the next start prints a new one.
 */
export function createSetup({ db, file }: OpenDatabase, passwords: Passwords, { node, isAlive }: SetupNodes) {
  let isOffered = false;
  return {
    /**
     * Offers the first visit.
     * @returns the token, to be shown once; undefined with an owner, or when another node has shown one
     */
    async open(): Promise<string | undefined> {
      isOffered = true;
      if (await hasOwner(db)) return undefined;
      const token = randomBytes(24).toString('base64url');
      const isMade = await db.transaction().execute(async (transaction) => {
        await lockUntilEnd(transaction, 'setup');
        const offer = await readOffer(transaction);
        // A node whose state is unknown counts as ended: otherwise there might be no token at all.
        if (offer && offer.node !== node && (await isAlive(offer.node).catch(() => false))) return false;
        await writeSetting(transaction, NAME, JSON.stringify({ hash: hashKey(token), node } satisfies Offer));
        return true;
      });
      return isMade ? token : undefined;
    },

    /** True if the owner can still be created. */
    isOpen: async () => isOffered && (await readOffer(db)) !== undefined && !(await hasOwner(db)),

    /**
     * Creates the owner with a token that `open` returned.
     * @returns its user, or why there is none
     * @throws HttpProblem 409 when the address has an account
     */
    async complete({
      token: presented,
      ...account
    }: Record<'token' | 'email' | 'password' | 'name', string>): Promise<UserRow | 'closed' | 'wrong token'> {
      const offer = isOffered ? await readOffer(db) : undefined;
      if (offer === undefined) return 'closed';
      if (!isSame(offer.hash, hashKey(presented))) return 'wrong token';
      const user = await createOwner({ db, passwords, ...account });
      await removeSetting(db, NAME);
      await file.assertDurable();
      return user ?? 'closed';
    },
  };
}

async function readOffer(db: Kysely<Schema>): Promise<Offer | undefined> {
  const stored = await readSetting(db, NAME);
  return stored === undefined ? undefined : (parseJson(stored) as Offer | undefined);
}
