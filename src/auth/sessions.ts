import { createHmac, hash } from 'node:crypto';
import { boundedCache } from '../bounded-cache.ts';
import { unavailable } from '../errors.ts';
import type { Auth } from './auth.ts';
import type { SessionPlaces } from './session-holder.ts';
import { isSame } from './signature.ts';

/**
 * Duration for which the result of looking up a cookie is cached, in ms. Only limits rely on it; guards read the
 * database.
 */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

const RETRY_SECONDS = 5;

type FindPlaces = (token: string) => Promise<SessionPlaces>;

/** The cached result of looking up a cookie. */
export interface KnownSession {
  isGood: boolean;
  /** A name for the session that gives no access. */
  name: string;
  /** The places that it may enter, as far as limits are concerned. */
  places: SessionPlaces;
}

/** Looks up sessions by their cookies in the database, and caches the results for a short time. */
export class Sessions {
  readonly #auth: Auth;
  readonly #findPlaces: FindPlaces;
  readonly #secret: () => string;
  readonly #known = boundedCache<string, KnownSession>(MAX_REMEMBERED, REMEMBERED_MS);
  #endings = 0;

  /**
   * @param findPlaces returns the places that the session of a token may enter
   * @param secret signs cookies; throws while it is not known
   */
  constructor(auth: Auth, findPlaces: FindPlaces = async () => 'all', secret: () => string = noSecret) {
    this.#auth = auth;
    this.#findPlaces = findPlaces;
    this.#secret = secret;
  }

  /**
   * Looks a session up, and prolongs it when that is due and the database is writable.
   * @param cookies the whole `Cookie` header
   * @param presented the value of the session cookie in it, as it arrived
   * @returns the `Set-Cookie` lines of a prolonged session, none of another one; undefined for an invalid session
   * @throws HttpProblem 503 when the database does not answer
   */
  async check(cookies: string, presented: string) {
    try {
      return await this.#lookUp(cookies, presented, true).catch(() => this.#lookUp(cookies, presented, false));
    } catch (error) {
      throw unavailable('The session cannot be looked up at the moment.', 'database_unavailable', RETRY_SECONDS, error);
    }
  }

  /** Looks a session up and changes nothing. Afterwards it is cached, if the database answered. */
  async learn(cookies: string, presented: string): Promise<void> {
    // The result is read with `recall`.
    await this.#lookUp(cookies, presented, false).catch(() => undefined);
  }

  /** The cached result of a cookie; undefined when it has to be looked up. */
  recall(presented: string): KnownSession | undefined {
    return this.#known.get(nameOf(presented));
  }

  /**
   * True for a cookie that this installation has signed, of a session that may have ended since. It reads nothing, so
   * anonymous clients may cause it: better-auth signs the token with HMAC-SHA256.
   */
  isSigned(presented: string): boolean {
    const cookie = decode(presented);
    // Each other spelling of a cookie would be looked up once more.
    if (encodeURIComponent(cookie) !== presented) return false;
    const dot = cookie.lastIndexOf('.');
    try {
      const signature = createHmac('sha256', this.#secret()).update(cookie.slice(0, dot)).digest('base64');
      return dot > 0 && isSame(signature, cookie.slice(dot + 1));
    } catch {
      return false;
    }
  }

  /** Evicts all sessions, because one has ended. */
  clear(): void {
    // A lookup in progress may have found the session before it ended.
    this.#endings++;
    this.#known.clear();
  }

  async #lookUp(cookies: string, presented: string, mayProlong: boolean) {
    const endings = this.#endings;
    const { headers, response } = await this.#auth.api.getSession({
      headers: new Headers({ cookie: cookies }),
      query: { disableRefresh: !mayProlong },
      returnHeaders: true,
    });
    const session = response?.session;
    const places = session ? await this.#placesOf(presented, session.token) : [];
    if (endings === this.#endings) this.#remember(presented, session, places);
    return session && { setCookies: headers.getSetCookie() };
  }

  /** Changed roles evict all sessions, so what is cached is right. */
  async #placesOf(presented: string, token: string): Promise<SessionPlaces> {
    const known = this.recall(presented);
    return known?.isGood ? known.places : this.#findPlaces(token);
  }

  #remember(presented: string, session: { token: string; expiresAt: Date } | undefined, places: SessionPlaces): void {
    const name = nameOf(presented);
    // The cookie is the token with its signature. If another cookie were taken for it, it would be cached under a false
    // name.
    const isGood = session !== undefined && decode(presented).startsWith(`${session.token}.`);
    const ttl = isGood ? Math.min(REMEMBERED_MS, session.expiresAt.getTime() - Date.now()) : REMEMBERED_MS;
    if (ttl >= 1) this.#known.set(name, { isGood, name, places }, { ttl });
  }
}

function noSecret(): never {
  throw new Error('Expected a secret, received none.');
}

function nameOf(presented: string): string {
  return hash('sha256', presented, 'base64url');
}

function decode(presented: string): string {
  try {
    return decodeURIComponent(presented);
  } catch {
    return presented;
  }
}
