import { hash, randomBytes } from 'node:crypto';
import { clockOf } from './clock.ts';
import { inTransaction, lockUntilEnd } from './locks.ts';
import type { OpenDatabase } from './schema.ts';

export interface DownloadTicketOptions {
  /** Maximum number of valid tickets. */
  max?: number;
  /** Unix milliseconds, instead of the clock of the database. */
  now?: () => number;
}

const MAX_TICKETS = 100;

/** Lifetime of a ticket. */
const TICKET_SECONDS = 60;

/**
 * Creates tickets for one download each, valid for a minute on every node. A browser downloads by a GET, and a list of
 * ten thousand files is too long for a URL. Only a hash of a ticket is stored.
 */
export function createDownloadTickets({ db }: Pick<OpenDatabase, 'db'>, options: DownloadTicketOptions = {}) {
  const { max = MAX_TICKETS, now } = options;
  const time = clockOf(db, now);
  return {
    /** Lifetime of a ticket. */
    seconds: TICKET_SECONDS,

    /** @returns a ticket for this content; undefined when too many are valid */
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

    /** Returns the content of a ticket and uses it up; undefined for an invalid one. */
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
