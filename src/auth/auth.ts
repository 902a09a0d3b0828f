import { betterAuth } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';

export const AUTH_BASE_PATH = '/api/auth';

const COOKIE_PREFIX = 'darkroom';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;

/**
 * Request header with the client's address, by which sign-in attempts are counted. The caller of `auth.handler`
 * overwrites any value that the client sent.
 */
export const CLIENT_ADDRESS_HEADER = 'x-darkroom-client-address';

/** Endpoints of better-auth that are served over HTTP. */
const OPEN_PATHS: readonly string[] = ['/sign-in/email', '/sign-out', '/get-session'];

export type Auth = Pick<ReturnType<typeof createAuth>, 'api' | 'handler'>;

/**
 * Creates accounts and sessions with better-auth. The tables have to exist.
 * @param options.secret signs session cookies; at least 32 characters
 * @param options.passwords hashes and verifies passwords
 * @param options.baseUrl public base URL; without one, the origin of the request is trusted
 */
export function createAuth(options: {
  db: Kysely<Schema>;
  secret: string;
  passwords?: Passwords;
  baseUrl?: string | undefined;
}) {
  const { db, secret, passwords = PLAIN_PASSWORDS, baseUrl } = options;
  return betterAuth({
    appName: 'Darkroom',
    // Origin only: a path would replace `basePath`.
    ...(baseUrl !== undefined && { baseURL: new URL(baseUrl).origin }),
    basePath: AUTH_BASE_PATH,
    // Not `secret`: BETTER_AUTH_SECRETS in the environment would override it.
    secrets: [{ version: 1, value: secret }],
    database: { db, type: 'sqlite' },
    emailAndPassword: { enabled: true, disableSignUp: true, password: passwords },
    hooks: { before: refuseClosedPaths() },
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

function refuseClosedPaths() {
  return createAuthMiddleware(async (context) => {
    if (context.request !== undefined && !OPEN_PATHS.includes(context.path)) throw new APIError('NOT_FOUND');
  });
}
