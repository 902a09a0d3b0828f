import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createAddressReader, networkOf } from './client-address.ts';

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  const read = createAddressReader(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);

  test.each([
    ['the connection itself', '203.0.113.7', undefined, '203.0.113.7'],
    ['an IPv4 address in the dress of IPv6 is IPv4', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['not what a stranger says', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['what a trusted proxy says', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['what a trusted proxy says over both', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['the rightmost that is not a proxy', '127.0.0.1', '1.1.1.1, 198.51.100.1,10.2.3.4 , fd00::1', '198.51.100.1'],
    ['a proxy when there are only proxies', '127.0.0.1', '10.0.0.9', '10.0.0.9'],
    ['a proxy when nobody stands before it', '10.0.0.1', undefined, '10.0.0.1'],
    ['the nearest that is known when a proxy writes a word', '127.0.0.1', '1.1.1.1, unknown', '127.0.0.1'],
    ['without a port', '127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['without a port in IPv6', '127.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ])('is %s', (_, remote, forwarded, expected) => {
    expect(read(request(remote, forwarded))).toBe(expected);
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
])('%s counts as %s', (address, expected) => {
  expect(networkOf(address)).toBe(expected);
});
