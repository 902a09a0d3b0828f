export const AUTH_BASE_PATH = '/api/auth';

export const COOKIE_PREFIX = 'darkroom';
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`;

/**
 * Request header with the client's address, by which sign-in attempts are counted. The caller of `auth.handler`
 * overwrites any value that the client sent.
 */
export const CLIENT_ADDRESS_HEADER = 'x-darkroom-client-address';
