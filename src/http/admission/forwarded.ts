import type { IncomingMessage } from 'node:http';
import { createAddressReader, createProxyCheck, FORWARDED_FOR, plainAddress } from './client-address.ts';

const FORWARDED_PROTO = 'x-forwarded-proto';
export const FORWARDED_HOST = 'x-forwarded-host';

/**
 * Creates the function that every forwarded header passes once, before anything else reads it. Afterwards the request
 * has only valid values from a trusted proxy: one address, `http` or `https`, and one host, which `requireHost` checks.
 * The framework reads these, with the same trust. No other forwarded header is read, from any sender.
 */
export function createForwardedReader(trustedProxies: readonly string[]): (request: IncomingMessage) => void {
  const readAddress = createAddressReader(trustedProxies);
  const isProxy = createProxyCheck(trustedProxies);
  return (request) => {
    const { headers, socket } = request;
    const isTrusted = isProxy(plainAddress(socket.remoteAddress ?? ''));
    if (headers[FORWARDED_FOR] !== undefined) headers[FORWARDED_FOR] = isTrusted ? readAddress(request) : undefined;
    for (const [name, read] of READERS) {
      const value = headers[name];
      if (value !== undefined) headers[name] = isTrusted ? read(value.toString()) : undefined;
    }
  };
}

const READERS = [
  [FORWARDED_PROTO, readProtocol],
  [FORWARDED_HOST, lastEntry],
] as const;

/** The scheme that the nearest proxy names; undefined for any other value. */
function readProtocol(forwarded: string): 'http' | 'https' | undefined {
  const protocol = lastEntry(forwarded)?.toLowerCase();
  return protocol === 'http' || protocol === 'https' ? protocol : undefined;
}

/** Proxies append to a list, so the nearest one has written the last entry. Empty entries are skipped. */
function lastEntry(forwarded: string): string | undefined {
  for (let end = forwarded.length; end > 0; ) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const entry = forwarded.slice(comma + 1, end).trim();
    if (entry !== '') return entry;
    end = comma;
  }
  return undefined;
}
