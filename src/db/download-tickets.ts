import { hash, randomBytes } from 'node:crypto';
import { clockOf } from './clock.ts';
import { inTransaction, lockUntilEnd } from './locks.ts';
import type { OpenDatabase } from './schema.ts';

export interface DownloadTicketOptions {
  /** How many may be out at once. */
  max?: number;
  /** Milliseconds since 1970, instead of the clock of the database. */
  now?: () => number;
}

export type DownloadTickets = ReturnType<typeof createDownloadTickets>;

const MAX_TICKETS = 100;

/** For how long a ticket is good. */
const TICKET_SECONDS = 60;

/**
 * Tickets for one download each, good for a minute on every node. A browser downloads what it gets by a GET, and a list of ten
 * thousand files is too long for a URL. Only a hash of a ticket is stored.
 */
export function createDownloadTickets({ db }: Pick<OpenDatabase, 'db'>, options: DownloadTicketOptions = {}) {
  const { max = MAX_TICKETS, now } = options;
  const time = clockOf(db, now);
  return {
    /** For how long a ticket is good. */
    seconds: TICKET_SECONDS,

    /** @returns a ticket for this content; undefined when too many are out */
    async issue(content: string): Promise<string | undefined> {
      const ticket = randomBytes(24).toString('base64url');
      const isIssued = await inTransaction(db, async (transaction) => {
        await lockUntilEnd(transaction, 'download tickets');
        await transaction.deleteFrom('download_ticket').where('expiresAt', '<=', time()).execute();
        const out = transaction.selectFrom('download_ticket').select((eb) => eb.fn.countAll<number>().as('count'));
        const { count } = await out.executeTakeFirstOrThrow();
        if (Number(count) >= max) return false;
        const row = { hash: hashOf(ticket), content, expiresAt: time(TICKET_SECONDS * 1000) };
        await transaction.insertInto('download_ticket').values(row).execute();
        return true;
      });
      return isIssued ? ticket : undefined;
    },

    /** The content of a ticket, which is used up with that; undefined for one that is not good. */
    async redeem(ticket: string): Promise<string | undefined> {
      const used = db.deleteFrom('download_ticket').where('hash', '=', hashOf(ticket)).where('expiresAt', '>', time());
      return (await used.returning('content').executeTakeFirst())?.content;
    },
  };
}

/** A ticket is long and random, so a fast hash without salt is enough. */
function hashOf(ticket: string): string {
  return hash('sha256', ticket, 'base64url');
}
