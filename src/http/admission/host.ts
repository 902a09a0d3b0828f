import type { IncomingMessage } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { badRequest, type HttpProblem } from '../../errors.ts';
import { quote } from '../../path.ts';
import { plainAddress } from './client-address.ts';
import { FORWARDED_HOST } from './forwarded.ts';

/**
 * A name or an address, and perhaps a port. Browsers write names of other scripts in these letters too. The dot at the end of a name
 * says that it is whole.
 */
const FORM = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const MAX_LENGTH = 261;

/** Whether the text can stand in a `Host` header, and in a URL. */
export function isHost(text: string): boolean {
  return text.length <= MAX_LENGTH && FORM.test(text) && URL.canParse(`http://${text}`);
}

/**
 * Refuses requests to no host, or to two, as RFC 9112 (3.2) wants it: what they were sent to gets into URLs, and into what decides
 * whether a page is ours. A request of HTTP/1.0, which knows no `Host`, is to the address that it reached.
 */
export function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { raw } = request;
    if (raw.httpVersion === '1.0') raw.headers.host ??= ownHost(raw.socket);
    for (const host of [...sentHosts(raw), request.host]) if (!isHost(host)) throw invalidHost(host, raw);
  });
}

/** A client may have written what a proxy forwards, so its text stays out of the answer. */
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
