import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { API_SECRET, presignedFields } from '../presigned.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { pathOf, tusAt } from '../tus.ts';
import { openStudio } from '../video-samples.ts';
import { sidesFilm, startVideoService } from '../videos.ts';

interface Counts {
  requests: number;
  deliveredBytes: number;
  uploadedBytes: number;
  renders: number;
  renderSeconds: number;
  transcodeSeconds: number;
  storedBytes: number;
}

interface Usage {
  space: string;
  from: string;
  to: string;
  rows: (Counts & { day?: string; space?: string; key?: string })[];
  total: Counts;
  quota: Record<string, number | null>;
}

const PNG = fixture('flag-alpha.png');
const KEY = { 'x-api-key': TEST_KEY };
const TODAY = () => new Date().toISOString().slice(0, 10);

let service: TestService;
beforeEach(async () => {
  service = await startService({ API_SECRET });
});
afterEach(() => service.close());

const usage = async (query = '') => {
  const answer = await ask(service.url, `/usage${query}`, { headers: KEY });
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
  return answer.json() as unknown as Usage;
};
/** Returns what a request has added, without the request that reads it. */
async function added(run: () => Promise<unknown>): Promise<Counts> {
  const { total: before } = await usage();
  await run();
  const { total: after } = await usage();
  const names = Object.keys(after) as (keyof Counts)[];
  const differences = Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Counts;
  return { ...differences, requests: differences.requests - 1 };
}
const get = (path: string, headers = {}) => ask(service.url, path, { headers });

describe('delivery', () => {
  beforeEach(() => service.place('flag.png', PNG));

  test('counts the bytes of variants, however they are found, and the render once', async () => {
    let size = 0;
    const url = '/t/w_40,f_png/flag.png';
    const render = await added(async () => {
      size = (await get(url)).body.length;
    });
    expect(render).toMatchObject({ requests: 1, deliveredBytes: size, renders: 1, uploadedBytes: 0 });
    expect(render.renderSeconds).toBeGreaterThan(0);
    // The normal path once, then the fast path.
    for (let n = 0; n < 3; n++) {
      expect(await added(() => get(url))).toMatchObject({ requests: 1, deliveredBytes: size, renders: 0 });
    }
  });

  test('counts a 304 and a HEAD as requests without bytes', async () => {
    const url = '/t/w_40,f_png/flag.png';
    const { etag = '' } = (await get(url)).headers;
    await get(url);
    for (const path of [url, '/t/flag.png']) {
      const tag = path === url ? etag : ((await get(path)).headers.etag ?? '');
      expect(await added(() => get(path, { 'if-none-match': tag }))).toMatchObject({ requests: 1, deliveredBytes: 0 });
      const head = () => ask(service.url, path, { method: 'HEAD' });
      expect(await added(head)).toMatchObject({ requests: 1, deliveredBytes: 0 });
    }
  });

  test('counts originals, ranges and downloads by the bytes that were sent', async () => {
    for (const [path, headers, bytes] of [
      ['/t/flag.png', {}, PNG.length],
      ['/t/flag.png', { range: 'bytes=0-9' }, 10],
      ['/download/flag.png', {}, PNG.length],
    ] as const) {
      expect(await added(() => get(path, headers))).toMatchObject({ requests: 1, deliveredBytes: bytes });
    }
    let archive = 0;
    await service.place('folder/a.png', PNG);
    const zip = await added(async () => {
      archive = (await get('/download-folder/folder')).body.length;
    });
    expect(zip).toMatchObject({ requests: 1, deliveredBytes: archive });
  });

  test('counts requests for missing files, none of probes, and no bytes of JSON', async () => {
    expect(await added(() => get('/t/missing.png'))).toMatchObject({ requests: 1, deliveredBytes: 0 });
    expect(await added(() => get('/storage', KEY))).toMatchObject({ requests: 1, deliveredBytes: 0 });
    for (const path of ['/livez', '/readyz', '/health', '/nothing', '/']) {
      expect([path, (await added(() => get(path))).requests]).toEqual([path, 0]);
    }
  });

  test('counts what a client has received that leaves', async () => {
    const large = 8 * 1024 * 1024;
    await service.place('large.png', Buffer.concat([PNG, Buffer.alloc(large)]));
    const { deliveredBytes } = await added(async () => {
      const leaving = new AbortController();
      const response = await fetch(`${service.url}/t/large.png`, { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
      await expect.poll(() => service.services.usage.counter('').requests).toBeGreaterThan(0);
    });
    expect(deliveredBytes).toBeLessThan(large);
  });
});

describe('uploads', () => {
  test('count their bytes, for the key that sent them', async () => {
    await service.upload({ 'a.png': PNG, 'b.png': PNG });
    await service.upload({ 'a.png': PNG }, { existing: 'skip' });
    const tus = tusAt(service.url);
    const path = pathOf(await tus.begin(PNG.length, { filename: 'c.png' }));
    expect((await tus.patch(path, 0, PNG)).status).toBe(204);
    await service.authorized('/storage/a.png', { method: 'PUT', body: new Uint8Array(PNG) });
    const form = new FormData();
    for (const [name, value] of Object.entries(presignedFields('in'))) form.append(name, value);
    form.append('files', new Blob([new Uint8Array(PNG)]), 'd.png');
    expect((await fetch(`${service.url}/upload`, { method: 'POST', body: form })).status).toBe(200);
    const { rows, total } = await usage('?by=key');
    expect(rows.map(({ key, uploadedBytes }) => [key, uploadedBytes])).toEqual([
      ['', PNG.length],
      ['environment', 4 * PNG.length],
    ]);
    expect(total.uploadedBytes).toBe(5 * PNG.length);
    // Four files, and the version of the one that was replaced.
    expect(total.storedBytes).toBe(5 * PNG.length);
  });

  test('stay stored bytes in the trash', async () => {
    await service.upload({ 'a.png': PNG });
    await service.authorized('/storage/a.png?trash=true', { method: 'DELETE' });
    expect((await usage()).quota).toMatchObject({ usedBytes: PNG.length });
    await service.authorized('/trash', { method: 'DELETE' });
    expect((await usage()).quota).toMatchObject({ usedBytes: 0 });
  });
});

test('transcodes count their duration', async () => {
  const videos = await startVideoService();
  const studio = await openStudio();
  try {
    await videos.place('clip.mp4', await sidesFilm(studio));
    expect((await ask(videos.url, '/t/w_64,f_mp4/clip.mp4')).status).toBe(202);
    videos.services.worker?.start();
    expect(await videos.ended('clip.mp4')).toBe('completed');
    const answer = await ask(videos.url, '/usage', { headers: KEY });
    const { total } = answer.json() as unknown as Usage;
    expect(total.transcodeSeconds).toBeGreaterThan(0);
  } finally {
    await studio.close();
    await videos.close();
  }
});

describe('GET /usage', () => {
  test('has the last thirty days, their sum and no limits', async () => {
    await service.upload({ 'a.png': PNG });
    await get('/t/a.png');
    const { space, from, to, rows, total, quota } = await usage();
    expect([space, to, rows.length]).toEqual(['', TODAY(), 30]);
    expect(rows[0]).toEqual({
      day: from,
      requests: 0,
      deliveredBytes: 0,
      uploadedBytes: 0,
      renders: 0,
      renderSeconds: 0,
      transcodeSeconds: 0,
      storedBytes: null,
    });
    const { day, ...today } = rows.at(-1) ?? {};
    expect([day, today]).toEqual([TODAY(), total]);
    expect(total).toMatchObject({ uploadedBytes: PNG.length, deliveredBytes: PNG.length, storedBytes: PNG.length });
    expect(quota).toEqual({ bytes: null, usedBytes: PNG.length, transferPerMonth: null, usedTransfer: PNG.length });
  });

  test('has the days that are requested', async () => {
    const { from, to, rows, total } = await usage('?from=2020-02-28&to=2020-03-01');
    expect([from, to, rows.map(({ day }) => day)]).toEqual([
      '2020-02-28',
      '2020-03-01',
      ['2020-02-28', '2020-02-29', '2020-03-01'],
    ]);
    expect(total).toMatchObject({ requests: 0, storedBytes: 0 });
  });

  test('sums by space, which is empty for the installation', async () => {
    await get('/t/missing.png');
    const { rows } = await usage('?by=space');
    expect(rows).toMatchObject([{ space: '', requests: 1 }]);
    expect(rows[0]).not.toHaveProperty('storedBytes');
  });

  test.each([
    ['by=month', 'by'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['to=2026-11-27T00:00:00Z', 'to'],
    ['from=2020-01-02&to=2020-01-01', 'from'],
    ['from=2020-01-01&to=2022-01-01', 'from'],
  ])('refuses ?%s and names the parameter', async (query, name) => {
    const answer = await ask(service.url, `/usage?${query}`, { headers: KEY });
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining(`"${name}"`)]);
  });

  test('has all that was counted before a restart', async () => {
    const data = await mkdtemp(join(tmpdir(), 'darkroom-usage-'));
    await service.close();
    service = await startService({ API_SECRET, DATA_DIR: data });
    await service.place('flag.png', PNG);
    for (let n = 0; n < 3; n++) await get('/t/w_40,f_png/flag.png');
    const { total } = await usage();
    await service.close();
    service = await startService({ API_SECRET, DATA_DIR: data });
    expect((await usage()).total).toMatchObject({ deliveredBytes: total.deliveredBytes, renders: 1 });
    await rm(data, { recursive: true });
  });
});
