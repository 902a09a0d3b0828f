import type { IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { badRequest, type HttpProblem } from '../../errors.ts';
import { quote } from '../../path.ts';
import { plainAddress } from './client-address.ts';
import { FORWARDED_HOST } from './forwarded.ts';

/**
 * A name or an address, with an optional port. Browsers also write names of other scripts in these letters. A dot at
 * the end marks a fully qualified name.
 */
const FORM = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const MAX_LENGTH = 261;

/** True for text that is valid in a `Host` header and in a URL. */
export function isHost(text: string): boolean {
  return text.length <= MAX_LENGTH && FORM.test(text) && URL.canParse(`http://${text}`);
}

/**
 * Refuses requests with no host or two, as RFC 9112 (3.2) requires: the host becomes part of URLs, and decides whether
 * a page has the service's own origin. HTTP/1.0 knows no `Host`; such a request is to the address that it reached.
 */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { raw } = request;
    if (raw.httpVersion === '1.0') raw.headers.host ??= ownHost(raw.socket);
    for (const host of [...sentHosts(raw), request.host]) if (!isHost(host)) throw invalidHost(host, raw);
  });
}

/** The forwarded text may come from the client, so the response does not repeat it. */
function invalidHost(host: string, { headers }: IncomingMessage): HttpProblem {
  const message =
    headers[FORWARDED_HOST] === host
      ? `Expected a host name or an address as "X-Forwarded-Host", received ${host.length} characters that are neither.`
      : `Expected a host name or an address as "Host", received ${quote(host)}.`;
  return badRequest(message, 'invalid_host');
}

function sentHosts({ rawHeaders }: IncomingMessage): string[] {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host');
  if (hosts.length > 1) throw badRequest(`Expected one "Host", received ${hosts.length}.`, 'invalid_host');
  return hosts;
}

function ownHost({ localAddress = '', localPort }: Socket): string {
  const address = plainAddress(localAddress);
  return `${isIPv6(address) ? `[${address}]` : address}:${localPort}`;
}
