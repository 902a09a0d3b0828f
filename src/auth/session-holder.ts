import { sql } from 'kysely';
import type { OpenDatabase } from '../db/schema.ts';
import { INSTALLATION } from '../installation.ts';
import { highestRole, type Role } from './roles.ts';

/** The person of a session. */
export interface SessionHolder {
  sessionId: string;
  userId: string;
  name: string;
  /** True if the account has a second factor. */
  hasSecondFactor: boolean;
  /** Role in the requested space; undefined for a person with roles elsewhere only. */
  role: Role | undefined;
  /** The only space in which the session is valid; empty for every one. */
  space: string;
}

interface Row {
  sessionId: string;
  userId: string;
  name: string;
  space: string;
  twoFactorEnabled: number;
  role: string | null;
  hasRole: number | boolean;
}

export type FindSessionHolder = ReturnType<typeof prepareSessionHolder>;

/**
 * Prepares the lookup of the person behind a verified cookie, always in the database: a changed role applies at once,
 * on all nodes. It finds none for a session that is restricted to another space, and for an account without any role.
 */
export function prepareSessionHolder({ db, prepare }: Pick<OpenDatabase, 'db' | 'prepare'>) {
  const find = prepare<Row>(
    db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.userId')
      .leftJoin('member', (join) =>
        join.onRef('member.userId', '=', 'session.userId').on('member.space', 'in', [INSTALLATION, '']),
      )
      .select(['session.id as sessionId', 'session.userId', 'session.space', 'user.name', 'user.twoFactorEnabled'])
      .select('member.role')
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom('member as any_role')
            .select(sql.lit(1).as('one'))
            .whereRef('any_role.userId', '=', 'session.userId'),
        ).as('hasRole'),
      )
      .where('session.token', '=', '')
      .where('session.space', 'in', [INSTALLATION, '']),
  );
  /** @param presented raw value of the verified cookie */
  return async (presented: string, space: string): Promise<SessionHolder | undefined> => {
    const rows = await find(INSTALLATION, space, tokenOf(presented), INSTALLATION, space);
    const [first] = rows;
    if (first === undefined || !first.hasRole) return undefined;
    return {
      sessionId: first.sessionId,
      userId: first.userId,
      name: first.name,
      hasSecondFactor: first.twoFactorEnabled !== 0,
      role: highestRole(rows.map(({ role }) => role ?? undefined)),
      space: first.space,
    };
  };
}

/** Extracts the token of a cookie: it precedes a dot and the signature, which is verified elsewhere. */
export function tokenOf(presented: string): string {
  const [encoded = ''] = presented.split(/\.|%2E/i, 1);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The places that a session may enter: all, or some spaces. */
export type SessionPlaces = 'all' | readonly string[];

/** Prepares the lookup of the places that a session may enter: those in which its person has a role. */
export function prepareSessionPlaces({ db, prepare }: Pick<OpenDatabase, 'db' | 'prepare'>) {
  const find = prepare<{ only: string; place: string }>(
    db
      .selectFrom('session')
      .innerJoin('member', 'member.userId', 'session.userId')
      .select(['session.space as only', 'member.space as place'])
      .where('session.token', '=', ''),
  );
  return async (token: string): Promise<SessionPlaces> => {
    const rows = await find(token);
    const [first] = rows;
    if (!first) return [];
    const isEverywhere = rows.some(({ place }) => place === INSTALLATION);
    if (first.only === INSTALLATION) return isEverywhere ? 'all' : rows.map(({ place }) => place);
    return isEverywhere || rows.some(({ place }) => place === first.only) ? [first.only] : [];
  };
}
