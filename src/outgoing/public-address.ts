import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** True if requests may go to an IP address, in text notation. */
export type MayReach = (address: string) => boolean;

/**
 * Makes the rule that requests only go to the public internet: to no host in the service's network, and to no range
 * that leads there indirectly.
 * @param allowed private networks that are permitted, such as `10.0.0.0/8`
 */
export function createReach(allowed: readonly string[]): MayReach {
  const networks = allowed.map(parseNetwork);
  return (address) => {
    const plain = withoutZone(address);
    if (isIP(plain) === 0) return false;
    const parsed = ipaddr.process(plain);
    return networks.some((network) => lies(parsed, network)) || isPublic(parsed);
  };
}

type Network = ReturnType<typeof parseNetwork>;

/** @param text with the length of its prefix, or a single address */
function parseNetwork(text: string) {
  const whole = isIP(text) === 6 ? 128 : 32;
  return ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${whole}`);
}

function lies(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() === 'ipv4') return address.range() === 'unicast';
  const six = address as ipaddr.IPv6;
  const inner = embedded(six);
  if (inner && !isPublic(inner)) return false;
  return isNat64(six) || (six.range() === 'unicast' && six.match(GLOBAL, 3));
}

/** The range of IPv6 that is allocated to the public internet. */
const GLOBAL = ipaddr.IPv6.parse('2000::');

/** First bytes of the NAT64 prefix. */
const NAT64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
/** Both prefixes of an ISATAP address. */
const ISATAP = [
  [0, 0, 0x5e, 0xfe],
  [2, 0, 0x5e, 0xfe],
];

/** Returns the IPv4 address that a gateway extracts from an IPv6 address. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  const isIsatap = ISATAP.some((start) => start.every((byte, index) => bytes[8 + index] === byte));
  return isNat64(address) || isIsatap ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
}

function isNat64(address: ipaddr.IPv6): boolean {
  const bytes = address.toByteArray();
  return NAT64.every((byte, index) => bytes[index] === byte);
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0] ?? '';
}
