import { betterAuth } from 'better-auth';
import { APIError, createAuthMiddleware } from 'better-auth/api';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { type Passwords, PLAIN_PASSWORDS } from './passwords.ts';

export const AUTH_BASE_PATH = '/api/auth';

const COOKIE_PREFIX = 'darkroom';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;

/**
 * The request header from which sign-in attempts are counted by address. The caller of `auth.handler` sets it to the client's
 * real address, whatever the client sent.
 */
export const CLIENT_ADDRESS_HEADER = 'x-darkroom-client-address';

/** The only endpoints of better-auth that are served over HTTP. */
const OPEN_PATHS: readonly string[] = ['/sign-in/email', '/sign-out', '/get-session'];

export type Auth = Pick<ReturnType<typeof createAuth>, 'api' | 'handler'>;

/**
 * Accounts and sessions, by better-auth. The tables have to exist already.
 * @param options.secret signs session cookies; at least 32 characters
 * @param options.passwords hash passwords and know them again
 * @param options.baseUrl the public base URL; without one, the request's own origin is trusted
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
    // The origin alone: a path in it would take the place of `basePath`.
    ...(baseUrl !== undefined && { baseURL: new URL(baseUrl).origin }),
    basePath: AUTH_BASE_PATH,
    // The list, not `secret`, because a BETTER_AUTH_SECRETS in the environment would win over `secret`.
    secrets: [{ version: 1, value: secret }],
    database: { db, type: 'sqlite' },
    emailAndPassword: { enabled: true, disableSignUp: true, password: passwords },
    hooks: { before: refuseClosedPaths() },
    // Set here because better-auth's own defaults depend on NODE_ENV.
    rateLimit: { enabled: true, storage: 'memory' },
    advanced: {
      disableOriginCheck: false,
      cookiePrefix: COOKIE_PREFIX,
      // True would put `__Secure-` before the name; the attribute itself is set below.
      useSecureCookies: false,
      defaultCookieAttributes: { secure: baseUrl?.startsWith('https:') ?? false },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    },
    telemetry: { enabled: false },
    // Its logger reports every bad password and every unknown key as an error.
    logger: { disabled: true },
    // An internal error is thrown out of `handler`, instead of becoming an empty answer.
    onAPIError: { throw: true },
  });
}

/** The same, made by the first who asks for it. Until it can be made, whoever asks gets what `make` throws. */
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
