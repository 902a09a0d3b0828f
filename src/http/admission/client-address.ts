import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';

/** Reads the address of the client that sent a request. */
export type ReadAddress = (request: IncomingMessage) => string;

export const FORWARDED_FOR = 'x-forwarded-for';

/**
 * Creates a reader of client addresses. The address is the other end of the connection. When that is a trusted proxy,
 * it is the rightmost address of `X-Forwarded-For` that is not a trusted proxy: addresses further left were not written
 * by a trusted proxy.
 */
export function createAddressReader(trustedProxies: readonly string[]): ReadAddress {
  if (trustedProxies.length === 0) return ({ socket }) => plainAddress(socket.remoteAddress ?? '');
  const isTrusted = createProxyCheck(trustedProxies);
  return ({ socket, headers }) => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    const forwarded = headers[FORWARDED_FOR];
    return typeof forwarded === 'string' ? nearestClient(peer, forwarded, isTrusted) : peer;
  };
}

/**
 * Follows the proxies from the right. An entry that is no address, such as `unknown`, ends at the proxy that wrote it.
 * Empty entries are skipped (RFC 9110, 5.6.1).
 */
function nearestClient(peer: string, forwarded: string, isTrusted: (address: string) => boolean): string {
  let nearest = peer;
  let end = forwarded.length;
  while (end > 0 && isTrusted(nearest)) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const entry = forwarded.slice(comma + 1, end).trim();
    end = comma;
    if (entry === '') continue;
    const address = forwardedAddress(entry);
    if (address === undefined) break;
    nearest = address;
  }
  return nearest;
}

/** Creates the predicate for addresses of trusted proxies; false for text that is no address. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const isTrusted = compile([...trustedProxies]);
  return (address) => isIP(address) !== 0 && isTrusted(address, 0);
}

/**
 * The address of the client, which the framework reads from what `createForwardedReader` leaves; empty after the client
 * left.
 */
export function addressOf({ ip = '' }: FastifyRequest): string {
  return plainAddress(ip);
}

/** The client that a request is counted for: its address in IPv4, its network in IPv6. */
export function clientOf(request: FastifyRequest): string {
  return networkOf(addressOf(request));
}

/** The first four groups as the system writes them, when none of them is omitted. */
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

/** Counts 16-bit groups. An IPv4 address at the end fills two. */
function groupCount(groups: readonly string[]): number {
  return groups.length + (groups.at(-1)?.includes('.') ? 1 : 0);
}

/** Converts IPv4-mapped IPv6, as a dual-stack socket reports it, to plain IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped ?? address;
}

const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;

/** The beginning of an IPv4-mapped IPv6 address, with any number of zeros. */
const MAPPED_START = /^[0:]+:ffff:/i;

/** An entry of `X-Forwarded-For` without the port that some proxies add; undefined for text that is no address. */
function forwardedAddress(entry: string): string | undefined {
  const [, inBrackets, bare, port = '0'] = isIP(entry) === 0 ? (WITH_PORT.exec(entry) ?? []) : [];
  const text = inBrackets ?? bare ?? entry;
  const family = isIP(text);
  if (family === 0 || Number(port) > MAX_PORT || (inBrackets !== undefined && family !== 6)) return undefined;
  // The zone is a network interface of the proxy's host.
  const [address = ''] = text.split('%');
  if (!MAPPED_START.test(address)) return address;
  return plainAddress(new SocketAddress({ address, family: 'ipv6' }).address);
}
