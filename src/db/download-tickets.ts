import { hash, randomBytes } from 'node:crypto';
import { clockOf } from './clock.ts';
import { inTransaction, lockUntilEnd } from './locks.ts';
import type { OpenDatabase } from './schema.ts';

/** Tickets of a space, or of the library. Those of others are unknown there. */
export interface DownloadTickets {
  /** Lifetime of a ticket. */
  readonly seconds: number;
  /** @returns a ticket for this content; undefined when too many are valid, here or in all spaces together */
  issue(content: string): Promise<string | undefined>;
  /** Returns the content of a ticket and uses it up; undefined for an invalid one. */
  redeem(ticket: string): Promise<string | undefined>;
}

export interface DownloadTicketOptions {
  /** Maximum number of valid tickets, and of those of a space. */
  max?: number;
  maxPerSpace?: number;
  /** Unix milliseconds, instead of the clock of the database. */
  now?: () => number;
}

const MAX_TICKETS = 100;
/** A quarter, so that one space does not take all. The library has no share of its own: whoever it serves has all. */
const MAX_TICKETS_PER_SPACE = 25;

/** Lifetime of a ticket. */
const TICKET_SECONDS = 60;

/**
 * Creates tickets for one download each, valid for a minute on every node. A browser downloads by a GET, and a list of
 * ten thousand files is too long for a URL. Only a hash of a ticket is stored.
 */
export function createDownloadTickets(
  { db }: Pick<OpenDatabase, 'db'>,
  options: DownloadTicketOptions = {},
): DownloadTickets & { inSpace(space: string): DownloadTickets } {
  const { max = MAX_TICKETS, maxPerSpace = MAX_TICKETS_PER_SPACE, now } = options;
  const time = clockOf(db, now);
  const inSpace = (space: string): DownloadTickets => ({
    seconds: TICKET_SECONDS,

    async issue(content) {
      const ticket = randomBytes(24).toString('base64url');
      const isIssued = await inTransaction(db, async (transaction) => {
        await lockUntilEnd(transaction, 'download tickets');
        await transaction.deleteFrom('download_ticket').where('expiresAt', '<=', time()).execute();
        const valid = transaction.selectFrom('download_ticket').select((eb) => eb.fn.countAll<number>().as('count'));
        const { count } = await valid.executeTakeFirstOrThrow();
        if (Number(count) >= max) return false;
        if (space !== '') {
          const own = await valid.where('hash', 'like', `${startOf(space)}%`).executeTakeFirstOrThrow();
          if (Number(own.count) >= maxPerSpace) return false;
        }
        const row = { hash: hashOf(ticket, space), content, expiresAt: time(TICKET_SECONDS * 1000) };
        await transaction.insertInto('download_ticket').values(row).execute();
        return true;
      });
      return isIssued ? ticket : undefined;
    },

    async redeem(ticket) {
      const used = db.deleteFrom('download_ticket').where('hash', '=', hashOf(ticket, space));
      const valid = used.where('expiresAt', '>', time());
      return (await valid.returning('content').executeTakeFirst())?.content;
    },
  });
  return { ...inSpace(''), inSpace };
}

/**
 * A ticket is long and random, so a fast hash without salt is enough. Those of a space begin with its id, by which they
 * are counted: elsewhere the ticket is unknown.
 */
function hashOf(ticket: string, space: string): string {
  return startOf(space) + hash('sha256', ticket, 'base64url');
}

/** Ids of spaces have neither a colon nor a wildcard of SQL. */
function startOf(space: string): string {
  return space === '' ? '' : `${space}:`;
}
