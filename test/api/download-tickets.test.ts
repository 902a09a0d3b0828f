import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDownloadTickets } from '../../src/db/download-tickets.ts';
import { ask, askJson } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { startService, TEST_KEY } from '../service.ts';
import { installUnzip, testWithUnzip } from '../unzip.ts';

let service: LibraryService;
let folder: string;
beforeAll(installUnzip);
beforeAll(async () => {
  service = await startLibrary();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-tickets-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await service.clear();
  await service.services.database.db.deleteFrom('download_ticket').execute();
});

interface Ticket {
  url: string;
  size: number;
  entries: number;
  expires: number;
}

const issue = (body: unknown) => service.call('POST', '/download-zip/ticket', body);
const ticketFor = async (body: unknown) => (await issue(body)).json() as unknown as Ticket;
const get = (path: string) => ask(service.url, path);

describe('POST /download-zip/ticket', () => {
  test('gives a URL for one download of the files, how large it will be, and how long that is possible', async () => {
    await service.store('trips/a.png', 'trips/deep/b.png', 'c.png');
    const before = Math.floor(Date.now() / 1000);
    const answer = await issue({ items: [{ path: 'trips', kind: 'folder' }, { path: 'c.png' }, { path: 'gone.png' }] });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const ticket = answer.json() as unknown as Ticket;
    expect(ticket).toEqual({
      url: expect.stringMatching(/^\/download-zip\/[\w-]{32}$/),
      size: expect.any(Number),
      entries: 3,
      expires: expect.any(Number),
    });
    expect(ticket.expires - before).toBeGreaterThanOrEqual(60);
    expect(ticket.expires - Math.floor(Date.now() / 1000)).toBeLessThanOrEqual(60);

    const download = await get(ticket.url);
    expect(download.status).toBe(200);
    expect(download.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringContaining('attachment; filename="download.zip"'),
      'content-length': String(ticket.size),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(download.body.length).toBe(ticket.size);
    const file = join(folder, 'archive.zip');
    await writeFile(file, download.body);
    await testWithUnzip(file);
    for (const path of ['trips/a.png', 'trips/deep/b.png', 'c.png']) {
      expect(download.body.includes(path)).toBe(true);
      expect(download.body.includes(Buffer.from(picture(path)))).toBe(true);
    }
    const same = await service.call('POST', '/download-zip', { paths: ['trips', 'c.png'] });
    expect(download.body.equals(same.body)).toBe(true);
  });

  test('is good once, however many ask at the same time', async () => {
    await service.store('a.png');
    const { url } = await ticketFor({ paths: ['a.png'] });
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(url)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(404)]);
    const again = await get(url);
    expect([again.status, again.json()]).toEqual([
      404,
      {
        error: 'Not found',
        code: 'ticket_not_found',
        message: 'Ticket not found: it was used or has expired (after 60 s).',
      },
    ]);
  });

  test('is not used up by a HEAD, which is 405', async () => {
    await service.store('a.png');
    const { url } = await ticketFor({ paths: ['a.png'] });
    expect((await ask(service.url, url, { method: 'HEAD' })).status).toBe(405);
    expect((await get(url)).status).toBe(200);
  });

  test('is over after a minute', async () => {
    await service.store('a.png');
    const { url } = await ticketFor({ paths: ['a.png'] });
    const { db } = service.services.database;
    const past = new Date(Date.now() - 1000).toISOString();
    await db.updateTable('download_ticket').set({ expiresAt: past }).execute();
    expect((await get(url)).status).toBe(404);
  });

  test('stores no ticket as it is', async () => {
    await service.store('a.png');
    const { url } = await ticketFor({ paths: ['a.png'] });
    const rows = await service.services.database.db.selectFrom('download_ticket').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(url.slice('/download-zip/'.length));
  });

  test('gives what is there at the download, and 404 when nothing is any more', async () => {
    await service.store('a.png', 'b.png');
    const both = await ticketFor({ paths: ['a.png', 'b.png'] });
    const one = await ticketFor({ paths: ['a.png'] });
    await service.call('DELETE', '/storage/a.png');
    const answer = await get(both.url);
    expect([answer.status, answer.body.includes('a.png'), answer.body.includes('b.png')]).toEqual([200, false, true]);
    const nothing = await get(one.url);
    expect([nothing.status, nothing.json().code]).toEqual([404, 'no_files_found']);
  });

  test('takes as many files as a JSON body may name', async () => {
    await service.store('a.png');
    const { entries } = await ticketFor({
      paths: ['a.png', ...Array.from({ length: 9990 }, (_, n) => `none/${n}.png`)],
    });
    expect(entries).toBe(1);
    const own = await startService({ MAX_JSON_VALUES: '100000' });
    const post = (paths: string[]) =>
      askJson(own.url, 'POST', '/download-zip/ticket', { paths }, { 'x-api-key': TEST_KEY });
    const tooMany = await post(Array(10_001).fill('a.png'));
    expect([tooMany.status, tooMany.json().code, tooMany.json().message]).toEqual([
      400,
      'too_many_items',
      'Expected at most 10000 entries, received 10001.',
    ]);
    expect((await post(Array(10_000).fill('a.png'))).json().code).toBe('no_files_found');
    await own.close();
  });

  test.each([
    ['nothing', {}, 'missing_input'],
    ['an empty list', { items: [] }, 'missing_input'],
    ['an empty path', { paths: [''] }, 'validation_failed'],
    ['a kind that is none', { items: [{ path: 'a.png', kind: 'link' }] }, 'validation_failed'],
    ['a path that leaves the root', { paths: ['../a.png'] }, 'invalid_path'],
  ])('is 400 for %s', async (_, body, code) => {
    const answer = await issue(body);
    expect([answer.status, answer.json().code]).toEqual([400, code]);
  });

  test('is 404 when none of the files exists', async () => {
    const answer = await issue({ paths: ['none.png'] });
    expect([answer.status, answer.json().code]).toEqual([404, 'no_files_found']);
  });

  test('is 503 when a hundred are out, until some are used', async () => {
    await service.store('a.png');
    const first = await ticketFor({ paths: ['a.png'] });
    for (let n = 1; n < 100; n++) await ticketFor({ paths: ['a.png'] });
    const answer = await issue({ paths: ['a.png'] });
    expect([answer.status, answer.json().code, answer.headers['retry-after']]).toEqual([503, 'overloaded', '60']);
    await get(first.url);
    expect((await issue({ paths: ['a.png'] })).status).toBe(200);
  });

  test('begins with PUBLIC_URL', async () => {
    const own = await startLibrary({ PUBLIC_URL: 'https://media.example.org/files' });
    await own.store('a.png');
    const { url } = (await own.call('POST', '/download-zip/ticket', { paths: ['a.png'] })).json() as unknown as Ticket;
    expect(url).toMatch(/^https:\/\/media\.example\.org\/files\/download-zip\/[\w-]{32}$/);
    await own.close();
  });
});

test('a ticket that nobody has is 404', async () => {
  for (const path of ['/download-zip/x', `/download-zip/${'A'.repeat(32)}`, '/download-zip/%00'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});

test('tickets that are over make room for others', async () => {
  const clock = { now: Date.now() };
  const tickets = createDownloadTickets(service.services.database, { max: 1, now: () => clock.now });
  const first = await tickets.issue('one');
  expect(await tickets.issue('two')).toBeUndefined();
  clock.now += 60_000;
  expect(await tickets.redeem(first ?? '')).toBeUndefined();
  const second = await tickets.issue('two');
  clock.now += 59_999;
  expect(await tickets.redeem(second ?? '')).toBe('two');
});
