import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { all, compile } from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';

/** The address of whoever sent a request. */
export type ReadAddress = (request: IncomingMessage) => string;

/**
 * The other end of the connection. When that is a trusted proxy, it is the rightmost address of `X-Forwarded-For` that is not
 * a trusted proxy: nobody that we trust has written the addresses further left.
 */
export function createAddressReader(trustedProxies: readonly string[]): ReadAddress {
  if (trustedProxies.length === 0) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  const isTrusted = createProxyCheck(trustedProxies);
  return (request) => {
    const addresses = all(request, (text) => isTrusted(forwardedAddress(text)));
    // Some proxies write "unknown": then this proxy is the nearest address that is known.
    return addresses.map(forwardedAddress).findLast((address) => isIP(address) !== 0) ?? '';
  };
}

/** Tells an address of a trusted proxy from others, and from texts that are no address. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const isTrusted = compile([...trustedProxies]);
  return (address) => isIP(address) !== 0 && isTrusted(address, 0);
}

/** The client that a request is counted for: its address in IPv4, its network in IPv6. The framework knows the trusted proxies. */
export function clientOf({ ip }: FastifyRequest): string {
  return networkOf(forwardedAddress(ip));
}

/** The first four groups as the system writes them, when none of them is left out. */
const PLAIN_START = /^((?:0|[1-9a-f][0-9a-f]{0,3})(?::(?:0|[1-9a-f][0-9a-f]{0,3})){3}):/;

/** The range in which one client can choose its address: the address itself in IPv4, the first 64 bits in IPv6. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const plainStart = PLAIN_START.exec(address)?.[1];
  if (plainStart !== undefined) return `${plainStart}::/64`;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groupCount(left) - groupCount(right));
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An IPv4 address at the end fills two groups. */
function groupCount(groups: readonly string[]): number {
  return groups.length + (groups.at(-1)?.includes('.') ? 1 : 0);
}

/** IPv4 written as IPv6, as a socket that listens to both gives it, becomes plain IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}

/** An entry of `X-Forwarded-For` without the port that some proxies add. */
function forwardedAddress(text = ''): string {
  if (isIP(text) !== 0) return plainAddress(text);
  const withoutPort = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1];
  return plainAddress(withoutPort ?? text);
}
