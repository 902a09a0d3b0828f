import { expect, test } from 'vitest';
import { createReach } from './public-address.ts';

const reach = createReach([]);

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.8.8.8', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1'],
  ...['240.0.0.1', '255.255.255.255'],
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1', '100::1'],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
  ],
  ...['2002:7f00:1::1', '2001:0:7f00:1::1', '2a00:1450:4001::5efe:10.0.0.1', '2a00:1450:4001:0:200:5efe:192.168.0.1'],
  ...['fd00::5efe:808:808', 'fe80::5efe:808:808', 'fe80::200:5efe:808:808', '::7f00:1', '4000::1'],
  ...['localhost', '', '1.2.3', 'fe80::1%'],
])('%s is not asked', (address) => {
  expect(reach(address)).toBe(false);
});

test.each([
  ...['1.1.1.1', '93.184.216.34', '172.32.0.1', '192.167.1.1', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'],
  ...['::ffff:93.184.216.34', '64:ff9b::93.184.216.34', '2a00:1450:4001::5efe:93.184.216.34'],
])('%s is asked', (address) => {
  expect(reach(address)).toBe(true);
});

test('a private network is asked that is allowed, however its addresses are written, and no other', () => {
  const some = createReach(['10.0.0.0/8', 'fd00::/8']);
  expect(['10.9.8.7', '::ffff:10.9.8.7', 'fd00::1', '1.1.1.1'].map(some)).toEqual([true, true, true, true]);
  expect(['11.0.0.1', '192.168.0.1', '127.0.0.1', 'fc00::1'].map(some)).toEqual([true, false, false, false]);
});
