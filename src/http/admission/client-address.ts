import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';

/** The address of whoever sent a request. */
export type ReadAddress = (request: IncomingMessage) => string;

export const FORWARDED_FOR = 'x-forwarded-for';

/**
 * The other end of the connection. When that is a trusted proxy, it is the rightmost address of `X-Forwarded-For` that is not
 * a trusted proxy: nobody that we trust has written the addresses further left.
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
 * Goes from proxy to proxy, from the right. An entry that is no address, such as `unknown`, ends the walk at the proxy that has
 * written it. Empty entries are none (RFC 9110, 5.6.1).
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

/** Tells an address of a trusted proxy from others, and from texts that are no address. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const isTrusted = compile([...trustedProxies]);
  return (address) => isIP(address) !== 0 && isTrusted(address, 0);
}

/** The address of the client, as the framework has it of what `createForwardedReader` leaves; empty when it has gone. */
export function addressOf({ ip = '' }: FastifyRequest): string {
  return plainAddress(ip);
}

/** The client that a request is counted for: its address in IPv4, its network in IPv6. */
export function clientOf(request: FastifyRequest): string {
  return networkOf(addressOf(request));
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

const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;

/** The beginning of IPv4 that is written as IPv6, however many zeros it has. */
const MAPPED_START = /^[0:]+:ffff:/i;

/** An entry of `X-Forwarded-For` without the port that some proxies add; undefined for what is no address. */
function forwardedAddress(entry: string): string | undefined {
  const [, inBrackets, bare, port = '0'] = isIP(entry) === 0 ? (WITH_PORT.exec(entry) ?? []) : [];
  const text = inBrackets ?? bare ?? entry;
  const family = isIP(text);
  if (family === 0 || Number(port) > MAX_PORT || (inBrackets !== undefined && family !== 6)) return undefined;
  // The zone is a network card of the proxy's machine.
  const [address = ''] = text.split('%');
  if (!MAPPED_START.test(address)) return address;
  return plainAddress(new SocketAddress({ address, family: 'ipv6' }).address);
}
