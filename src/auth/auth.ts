import type { GenericEndpointContext } from '@better-auth/core';
import { betterAuth } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import type { Kysely } from 'kysely';
import { requireMigration } from '../db/migrate.ts';
import { ROLES_MIGRATION } from '../db/migrations.ts';
import type { Schema } from '../db/schema.ts';
import { INSTALLATION } from '../installation.ts';
import { ownSessions } from './own-sessions.ts';
import { assertMaySignIn, type PasswordSignIn } from './password-sign-in.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';
import { claimCode, restrictChallenge, SECOND_FACTOR_PATHS, secondFactor, spaceOfChallenge } from './second-factor.ts';
import { createUsedCodes, type UsedCodes } from './used-codes.ts';

export const AUTH_BASE_PATH = '/api/auth';

const COOKIE_PREFIX = 'darkroom';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;

/**
 * Request header with the client's address, by which sign-in attempts are counted. The caller of `auth.handler`
 * overwrites any value that the client sent.
 */
export const CLIENT_ADDRESS_HEADER = 'x-darkroom-client-address';

/**
 * Request header with the space whose host a session begins at: the session is valid there alone, because the owner of
 * the host could collect its cookies. Also overwritten by the caller.
 */
export const SPACE_HEADER = 'x-darkroom-space';

const PASSWORD_PATH = '/sign-in/email';

/** Endpoints of better-auth that are served over HTTP. */
const OPEN_PATHS: readonly string[] = [PASSWORD_PATH, '/sign-out', '/get-session', ...SECOND_FACTOR_PATHS];

export type Auth = Pick<ReturnType<typeof createAuth>, 'api' | 'handler'>;

/**
 * Creates accounts and sessions with better-auth. The tables have to exist.
 * @param options.secret signs session cookies; at least 32 characters
 * @param options.passwords hashes and verifies passwords
 * @param options.passwordSignIn who may sign in with a password
 * @param options.baseUrl public base URL; without one, the origin of the request is trusted
 */
export function createAuth(options: {
  db: Kysely<Schema>;
  secret: string;
  passwords?: Passwords;
  passwordSignIn?: PasswordSignIn;
  baseUrl?: string | undefined;
}) {
  const { db, secret, passwords = PLAIN_PASSWORDS, passwordSignIn = 'true', baseUrl } = options;
  return betterAuth({
    appName: 'Darkroom',
    // Origin only: a path would replace `basePath`.
    ...(baseUrl !== undefined && { baseURL: new URL(baseUrl).origin }),
    basePath: AUTH_BASE_PATH,
    // Not `secret`: BETTER_AUTH_SECRETS in the environment would override it.
    secrets: [{ version: 1, value: secret }],
    database: { db, type: 'sqlite' },
    emailAndPassword: { enabled: true, disableSignUp: true, password: passwords },
    session: { additionalFields: { space: { type: 'string', required: false, input: false, returned: false } } },
    plugins: [secondFactor(), ownSessions()],
    databaseHooks: {
      session: {
        create: {
          before: async (session, context) => {
            if (context?.path === PASSWORD_PATH) await assertMaySignIn(db, passwordSignIn, session.userId);
            return { data: { ...session, space: context ? await spaceOfSession(db, context) : INSTALLATION } };
          },
        },
      },
      user: {
        update: {
          async before({ twoFactorEnabled }) {
            // An older version would let this person in with the password alone.
            if (twoFactorEnabled) await requireMigration(db, ROLES_MIGRATION);
          },
        },
      },
      verification: {
        create: {
          async before(verification, context) {
            const space = context?.headers?.get(SPACE_HEADER);
            if (context && space) await restrictChallenge(context, verification, space);
          },
        },
      },
    },
    hooks: { before: guardEndpoints(createUsedCodes(db)) },
    // The defaults of better-auth depend on NODE_ENV.
    rateLimit: { enabled: true, storage: 'memory' },
    advanced: {
      disableOriginCheck: false,
      cookiePrefix: COOKIE_PREFIX,
      // True would prefix the name with `__Secure-`. The attribute is set below.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: baseUrl?.startsWith('https:') ?? false },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
    telemetry: { enabled: false },
    // Its logger reports each wrong password as an error.
    logger: { disabled: true },
    // `handler` throws internal errors instead of sending an empty response.
    onAPIError: { throw: true },
  });
}

/** Creates the auth on first use. Until `make` succeeds, each use throws its error. */
export function createAuthOnce(make: () => Auth): Auth {
  let made: Auth | undefined;
  const get = () => (made ??= make());
  return {
    get api() {
      return get().api;
    },
    get handler() {
      return get().handler;
    },
  };
}

/**
 * The space to which a new session is restricted: as the session that it replaces, or the challenge that it completes,
 * wherever that happens; or else that at whose host it begins. Empty for none.
 */
async function spaceOfSession(db: Kysely<Schema>, context: GenericEndpointContext): Promise<string> {
  const token = context.context.session?.session.token;
  const sessions = db.selectFrom('session').select('space');
  const replaced = token === undefined ? undefined : await sessions.where('token', '=', token).executeTakeFirst();
  const inherited = replaced?.space || (await spaceOfChallenge(context));
  return inherited || context.headers?.get(SPACE_HEADER) || INSTALLATION;
}

function guardEndpoints(usedCodes: UsedCodes) {
  return createAuthMiddleware(async (context) => {
    if (context.request !== undefined && !OPEN_PATHS.includes(context.path)) throw new APIError('NOT_FOUND');
    await claimCode(context, usedCodes);
  });
}
