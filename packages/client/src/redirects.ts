/** Enough for proxies that add a slash or change the case of a host. */
const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Redirects that keep method and body. */
const REPEATING = [307, 308];

/** A server redirects a request to a forbidden target. */
export class RedirectError extends Error {
  override name = 'RedirectError';
}

export interface Redirectable {
  url: string;
  method: string;
  /** True if the body can be sent again. */
  isRepeatable: boolean;
}

/**
 * Sends a request and follows redirects within its origin. `fetch` itself would send the key's header to any other one.
 * @param send sends it to a URL with `redirect: 'manual'`
 * @throws RedirectError for a redirect to another origin, for one that changes the method, and for too many
 */
export async function sendWithinOrigin(
  request: Redirectable,
  send: (url: string) => Promise<Response>,
): Promise<Response> {
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    const response = await send(url);
    if (response.type === 'opaqueredirect') {
      throw new RedirectError(
        'The server redirected the request, and browsers hide where to. Set the URL to that address.',
      );
    }
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      throw new RedirectError(`The server redirected more than ${MAX_REDIRECTS} times in a row.`);
    }
    url = nextUrl(location, url, request, response.status);
  }
}

/** @throws RedirectError */
function nextUrl(location: string, from: string, { method, isRepeatable }: Redirectable, status: number): string {
  const target = resolveWithin(location, from);
  if (target === undefined) {
    const where = URL.canParse(location, from) ? new URL(location, from).origin : 'an address that is no URL';
    throw new RedirectError(`The server redirected to ${where}. Set the URL to that address, if you trust it.`);
  }
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && !(REPEATING.includes(status) && isRepeatable)) {
    const what = `a ${method} to ${target}`;
    throw new RedirectError(
      `The server redirected ${what} with status ${status}. Set the URL to the address that answers.`,
    );
  }
  return target;
}

/** Resolves a URL named by a server; undefined for one outside the origin of `base`, and for an invalid one. */
export function resolveWithin(named: string, base: string): string | undefined {
  if (!URL.canParse(named, base)) return undefined;
  const { href, origin, username, password } = new URL(named, base);
  const isWithin = origin === new URL(base).origin && username === '' && password === '';
  return isWithin ? href : undefined;
}
