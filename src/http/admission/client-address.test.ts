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
    ['without brackets in IPv6', '127.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['without a zone', '127.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['past a proxy that is written with a port', '127.0.0.1', '198.51.100.1, 10.2.3.4:80, [fd00::1]:9', '198.51.100.1'],
    ['IPv4 when IPv6 holds it in hexadecimal', '127.0.0.1', '::FFFF:c633:6401', '198.51.100.1'],
    ['IPv4 when IPv6 holds it in full', '127.0.0.1', '[0:0:0:0:0:ffff:198.51.100.1]:80', '198.51.100.1'],
    ['past empty entries and white space', '127.0.0.1', ' 198.51.100.1\t, ,,10.2.3.4 ,', '198.51.100.1'],
    ['the proxy when all entries are empty', '127.0.0.1', ' ,, ,', '127.0.0.1'],
    ['the proxy when the header begins with a comma', '127.0.0.1', ',', '127.0.0.1'],
    ['the last good one when a proxy hides its client', '127.0.0.1', '1.1.1.1, _hidden, 10.2.3.4', '10.2.3.4'],
    ['no number that is no address', '127.0.0.1', '999.1.1.1', '127.0.0.1'],
    ['no number with a leading zero', '127.0.0.1', '198.51.100.01', '127.0.0.1'],
    ['no address with a port that cannot be', '127.0.0.1', '198.51.100.1:99999', '127.0.0.1'],
    ['no half address', '127.0.0.1', '[2001:db8::1', '127.0.0.1'],
    ['no IPv4 address in brackets', '127.0.0.1', '[198.51.100.1]:80', '127.0.0.1'],
    ['no text of another header', '127.0.0.1', 'for=198.51.100.1;proto=https', '127.0.0.1'],
    ['no URL', '127.0.0.1', 'http://198.51.100.1/', '127.0.0.1'],
    ['no two addresses in one entry', '127.0.0.1', '1.1.1.1 198.51.100.1', '127.0.0.1'],
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
