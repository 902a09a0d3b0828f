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

test('all spaces share the limit of valid tickets', async () => {
  const tickets = createDownloadTickets(database, { max: 2 });
  expect(await tickets.issue('a')).toBeDefined();
  expect(await tickets.inSpace('acme').issue('b')).toBeDefined();
  expect(await tickets.inSpace('beta').issue('c')).toBeUndefined();
});
