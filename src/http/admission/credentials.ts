import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_COOKIE } from '../../auth/auth.ts';
import type { Sessions } from '../../auth/sessions.ts';

const BEARER = 'bearer';

/**
 * The API key that a request presents, valid or not; undefined for none. A proxy in front may use `Authorization`
 * itself, so only a bearer token (upper or lower case) counts as a key. An empty one is a key too, and an invalid one.
 */
export function presentedKey({ authorization = '', 'x-api-key': own }: IncomingHttpHeaders): string | undefined {
  const isBearer = authorization.slice(0, BEARER.length).toLowerCase() === BEARER;
  const rest = authorization.slice(BEARER.length);
  if (isBearer && (rest === '' || rest.startsWith(' '))) return rest.trim();
  return typeof own === 'string' && own !== '' ? own : undefined;
}

/** The value of the session cookie, valid or not; undefined for none. */
export function presentedSession(headers: IncomingHttpHeaders): string | undefined {
  return presentedCookie(headers, SESSION_COOKIE);
}

/** True for a request with an API key or a session, valid or not. */
export function presentsCredentials(headers: IncomingHttpHeaders): boolean {
  return presentedKey(headers) !== undefined || presentedSession(headers) !== undefined;
}

/** The value of a cookie as it arrived; undefined for none. */
export function presentedCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const start = `${name}=`;
  for (let at = cookie.indexOf(start); at >= 0; at = cookie.indexOf(start, at + 1)) {
    let before = at - 1;
    while (cookie[before] === ' ') before--;
    // Another cookie's name may end with the same text.
    if (before >= 0 && cookie[before] !== ';') continue;
    const end = cookie.indexOf(';', at);
    return cookie.slice(at + start.length, end < 0 ? undefined : end).trim();
  }
  return undefined;
}

/** The `Cookie` header of a request without one of its cookies. */
export function withoutCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string {
  const cookies = cookie.split(';').map((one) => one.trim());
  return cookies.filter((one) => !one.startsWith(`${name}=`)).join('; ');
}

/**
 * Returns the name of the valid session of a request, as far as it is cached; undefined for none, `null` for one that
 * has to be looked up.
 * @param space the space of the request, for which one counts as none that may not enter it; any one by default
 */
export function recallSession(
  headers: IncomingHttpHeaders,
  sessions: Pick<Sessions, 'recall'>,
  space?: string,
): string | null | undefined {
  const presented = presentedSession(headers);
  if (presented === undefined) return undefined;
  const known = sessions.recall(presented);
  if (known === undefined) return null;
  const { isGood, places, name } = known;
  const mayEnter = space === undefined || places === 'all' || places.includes(space);
  return isGood && mayEnter ? name : undefined;
}

/** True for a request with a session cookie that the installation has signed. */
export function hasSignedSession(headers: IncomingHttpHeaders, sessions: Pick<Sessions, 'isSigned'>): boolean {
  const presented = presentedSession(headers);
  return presented !== undefined && sessions.isSigned(presented);
}

/** Looks up the session of a request and caches it for the next `recallSession`. */
export async function learnSession(headers: IncomingHttpHeaders, sessions: Sessions): Promise<void> {
  const presented = presentedSession(headers);
  if (presented !== undefined) await sessions.learn(headers.cookie ?? '', presented);
}
