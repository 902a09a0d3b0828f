import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { addNetwork } from '../../config/forms.ts';

/** The address of whoever sent a request. */
export type ReadAddress = (request: IncomingMessage) => string;

/**
 * The connection's other end; when that is a trusted proxy, the rightmost address of `X-Forwarded-For` that is not one: what
 * stands further left was written by nobody we know.
 */
export function createAddressReader(trustedProxies: readonly string[]): ReadAddress {
  if (trustedProxies.length === 0) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  const isTrusted = createProxyCheck(trustedProxies);

  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? '');
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    while (isTrusted(address)) {
      const next = forwarded.pop();
      if (next === undefined) break;
      const before = withoutPort(next.trim());
      // Some proxies write "unknown"; whoever that is, this proxy is the nearest that is known.
      if (isIP(before) === 0) break;
      address = plainAddress(before);
    }
    return address;
  };
}

/** Tells an address of a trusted proxy from others, and from what is no address. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);
  return (address) => isIP(address) !== 0 && trusted.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

/** The client that a request is counted for: its address in IPv4, its network in IPv6. The framework knows the trusted proxies. */
export function clientOf({ ip }: FastifyRequest): string {
  return networkOf(plainAddress(ip));
}

/** The first four groups as the system writes them, when none of them is left out. */
const PLAIN_START = /^((?:0|[1-9a-f][0-9a-f]{0,3})(?::(?:0|[1-9a-f][0-9a-f]{0,3})){3}):/;

/** What one client can choose among: the address itself in IPv4, the first 64 bits in IPv6. */
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

/** IPv4 in the dress of IPv6, as a socket that listens to both gives it. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}

function withoutPort(text: string): string {
  if (isIP(text) !== 0) return text;
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
