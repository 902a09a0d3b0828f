import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDownloadTickets } from '../../src/db/download-tickets.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { openTestDatabase } from '../database.ts';

let database: OpenDatabase;
beforeEach(async () => {
  database = await openTestDatabase(':memory:');
});
afterEach(() => database.close());

test('a ticket is redeemed where it was issued, and nowhere else', async () => {
  const library = createDownloadTickets(database);
  const places = [library, library.inSpace('acme'), library.inSpace('beta')];
  for (const place of places) {
    const ticket = (await place.issue('["a.jpg"]')) ?? '';
    for (const other of places) if (other !== place) expect(await other.redeem(ticket)).toBeUndefined();
    expect(await place.redeem(ticket)).toBe('["a.jpg"]');
    expect(await place.redeem(ticket)).toBeUndefined();
  }
});

test('a space has at most a share of them, and the library more', async () => {
  const tickets = createDownloadTickets(database, { max: 6, maxPerSpace: 2 });
  const acme = tickets.inSpace('acme');
  const first = (await acme.issue('a')) ?? '';
  expect(await acme.issue('b')).toBeDefined();
  expect(await acme.issue('c')).toBeUndefined();
  // An id that begins like the other one.
  expect(await tickets.inSpace('acme-2').issue('d')).toBeDefined();
  for (const content of ['e', 'f', 'g']) expect(await tickets.issue(content)).toBeDefined();
  expect(await tickets.issue('h')).toBeUndefined();
  expect(await acme.redeem(first)).toBe('a');
  expect(await acme.issue('i')).toBeDefined();
});

test('all spaces share the limit of valid tickets', async () => {
  const tickets = createDownloadTickets(database, { max: 2 });
  expect(await tickets.issue('a')).toBeDefined();
  expect(await tickets.inSpace('acme').issue('b')).toBeDefined();
  expect(await tickets.inSpace('beta').issue('c')).toBeUndefined();
});
