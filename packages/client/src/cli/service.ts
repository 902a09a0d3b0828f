import { setTimeout as pause } from 'node:timers/promises';
import { RedirectError, resolveWithin, sendWithinOrigin } from '../redirects.ts';
import { baseOf, Failure, UsageError, type Values } from './command.ts';
import { plain, quote } from './printable.ts';

/** Maximum attempts per request. */
const MAX_TRIES = 6;
/** Longer delays requested by the service are reported instead. */
const MAX_WAIT_SECONDS = 120;

export interface Asking {
  headers?: Record<string, string>;
  body?: BodyInit;
  /** True if a lost response allows the request to be sent again. */
  isRepeatable?: boolean;
  /** Aborts the request, and the wait for a retry. */
  signal?: AbortSignal;
}

/** The service did not respond. */
export class Unreachable extends Failure {
  override name = 'Unreachable';
}

/** The key is invalid, or lacks the permission. */
export class Refused extends Failure {
  override name = 'Refused';
  /** Error code of the service. */
  readonly code: unknown;

  constructor(status: number, body: unknown) {
    super(reasonOf(status, body));
    this.code = (body as { code?: unknown } | undefined)?.code;
  }
}

/** Sends authenticated requests. */
export class Service {
  readonly base: string;
  readonly #key: string;
  #hasAnswered = false;

  constructor(base: string, key: string) {
    this.base = base;
    this.#key = key;
  }

  /**
   * Sends a request, and retries as long as the service is busy (429, 503).
   * @param path below the base, or a complete URL
   * @returns the response, with any other status
   * @throws Unreachable; Refused, because other requests would be rejected too; Failure for a redirect to another
   * origin; TypeError for a body that cannot be read; the reason of the signal
   */
  async request(method: string, path: string, asking: Asking = {}): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#fetch(method, path, asking);
      const isLast = tries === MAX_TRIES;
      if (answer instanceof Unreachable) {
        if (isLast || !asking.isRepeatable || !this.#hasAnswered) throw answer;
        await pause(backoff(tries), undefined, asking);
        continue;
      }
      this.#hasAnswered = true;
      if (answer.status === 401 || answer.status === 403) throw new Refused(answer.status, await jsonOf(answer));
      const wait = waitOf(answer, tries);
      if (wait === undefined || isLast) return answer;
      await answer.body?.cancel();
      await pause(wait, undefined, asking);
    }
  }

  async #fetch(method: string, path: string, asking: Asking): Promise<Response | Unreachable> {
    const { headers, body, signal } = asking;
    const init: RequestInit = {
      method,
      headers: { ...headers, 'x-api-key': this.#key },
      redirect: 'manual',
      ...(body && { body }),
      ...(signal && { signal }),
    };
    const url = this.#urlOf(path);
    try {
      return await sendWithinOrigin({ url, method, isRepeatable: true }, (target) => fetch(target, init));
    } catch (error) {
      if (error instanceof RedirectError) throw new Failure(plain(error.message));
      const cause = error instanceof Error ? error.cause : undefined;
      // Other causes come from a body that cannot be read.
      if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') throw error;
      return new Unreachable(`${this.base} cannot be reached: ${cause.message || cause.code}.`);
    }
  }

  /** @throws Failure for a URL that must not receive the key */
  #urlOf(path: string): string {
    if (!/^https?:/.test(path)) return this.base + path;
    const url = resolveWithin(path, this.base);
    if (url === undefined) throw new Failure(`Expected an address at ${this.base}, received ${quote(path)}.`);
    return url;
  }
}

/** Creates the service from the settings. @throws UsageError for missing ones */
export function serviceOf(values: Values, env: NodeJS.ProcessEnv): Service {
  const base = baseOf(values, env);
  if (base === undefined) throw new UsageError('Expected the address of the service in DARKROOM_URL, or as --url.');
  if (!/^[\x21-\x7e]+$/.test(env.DARKROOM_KEY ?? '')) throw new UsageError('Expected an API key in DARKROOM_KEY.');
  return new Service(base, env.DARKROOM_KEY ?? '');
}

/** Requests JSON, and sends some. @throws Failure for a rejected request */
export async function requestJson(
  service: Service,
  method: string,
  path: string,
  { json, ...asking }: Omit<Asking, 'headers' | 'body'> & { json?: object | undefined } = {},
): Promise<unknown> {
  const sent = json && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
  const answer = await service.request(method, path, { ...asking, ...sent });
  const said = await jsonOf(answer);
  if (!answer.ok || said === undefined) throw new Failure(reasonOf(answer.status, said));
  return said;
}

/** Returns the service's reason for a rejection. @param body response as parsed by `jsonOf` */
export function reasonOf(status: number, body: unknown): string {
  const { message, error, code } = (body ?? {}) as { message?: unknown; error?: unknown; code?: unknown };
  const reason = message ?? error;
  if (typeof reason !== 'string') return `The answer was ${status}, and not one of Darkroom.`;
  return plain(`${reason} (${typeof code === 'string' ? code : status})`);
}

/** Parses a response; undefined if it is not JSON, like those of proxies. */
export async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}

/** @returns milliseconds */
export function backoff(tries: number): number {
  return 500 * 2 ** tries;
}

/** Returns the delay before a retry, in ms; undefined for a final response. */
function waitOf({ status, headers }: Response, tries: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (!Number.isFinite(seconds)) return backoff(tries);
  return seconds > MAX_WAIT_SECONDS ? undefined : seconds * 1000;
}

/** Returns the URL of an original. */
export function addressOf({ base }: Service, path: string): string {
  return `${base}/t/${path.split('/').map(encodeURIComponent).join('/')}`;
}
