import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_COOKIE } from '../../auth/auth.ts';

const BEARER = 'bearer';
const COOKIE = 'cookie';
const SESSION = `${SESSION_COOKIE}=`;

/**
 * The API key that a request presents, good or not; undefined for none. A proxy in front may have an `Authorization` of its own, so
 * only a bearer token is meant for us, in upper or lower case. An empty one is a key too, and a wrong one.
 */
export function presentedKey({ authorization = '', 'x-api-key': own }: IncomingHttpHeaders): string | undefined {
  const isBearer = authorization.slice(0, BEARER.length).toLowerCase() === BEARER;
  const rest = authorization.slice(BEARER.length);
  if (isBearer && (rest === '' || rest.startsWith(' '))) return rest.trim();
  return typeof own === 'string' && own !== '' ? own : undefined;
}

/**
 * The value of the session cookie, good or not; undefined for none.
 * @param rawHeaders names and values in turn, as they came: to make an object of them costs more than an answer from memory
 */
export function presentedSession(rawHeaders: readonly string[]): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length !== COOKIE.length || name.toLowerCase() !== COOKIE) continue;
    const value = sessionIn(rawHeaders[i + 1] ?? '');
    if (value !== undefined) return value;
  }
  return undefined;
}

function sessionIn(cookies: string): string | undefined {
  for (let at = cookies.indexOf(SESSION); at >= 0; at = cookies.indexOf(SESSION, at + 1)) {
    let before = at - 1;
    while (cookies[before] === ' ') before--;
    // Another cookie's name may end like ours.
    if (before >= 0 && cookies[before] !== ';') continue;
    const end = cookies.indexOf(';', at);
    return cookies.slice(at + SESSION.length, end < 0 ? undefined : end).trim();
  }
  return undefined;
}
