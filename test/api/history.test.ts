import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { temporaryFolder } from '../temporary-folder.ts';

interface Told {
  stepSeconds: number;
  samples: Record<string, unknown>[];
}

let service: TestService;
beforeEach(async () => {
  // A minute passes when a test decides.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  service = await startService();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.close();
});

const get = (path: string) => ask(service.url, path, { headers: { 'x-api-key': TEST_KEY } });
const history = async (query = '') => (await get(`/stats/history${query}`)).json() as unknown as Told;

/** Lets a minute pass, and waits for its sample. */
async function pass(samples: number): Promise<void> {
  vi.advanceTimersByTime(60_000);
  await expect.poll(async () => (await history('?minutes=1440')).samples.length).toBe(samples);
}

describe('GET /stats/history', () => {
  test('has a sample for each minute: what was asked, found, made and sent', async () => {
    await service.place('flag.png', fixture('flag-alpha.png'));
    const answer = await get('/stats/history');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json()).toEqual({ stepSeconds: 60, samples: [] });
    // Rendered, a disk hit, and a memory hit.
    for (let n = 0; n < 4; n++) expect((await get('/t/w_40,f_png/flag.png')).status).toBe(200);
    await pass(1);
    const [sample] = (await history()).samples;
    expect(sample).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requests: expect.any(Number),
      hits: 3,
      misses: 1,
      bytesSent: expect.any(Number),
      renders: 1,
      renderP50Ms: expect.any(Number),
      renderP95Ms: expect.any(Number),
      queued: 0,
      rss: expect.any(Number),
      jobs: 0,
    });
    expect(Number(sample?.requests)).toBeGreaterThanOrEqual(5);
    expect(Number(sample?.bytesSent)).toBeGreaterThan(4 * 100);
    expect(Number(sample?.rss)).toBeGreaterThan(1e7);
    await pass(2);
    expect((await history()).samples[1]).toMatchObject({ hits: 0, misses: 0, renders: 0, renderP95Ms: null });
    expect((await history('?minutes=1')).samples).toHaveLength(1);
  });

  test('counts a visitor who has the variant already as a hit', async () => {
    await service.place('flag.png', fixture('flag-alpha.png'));
    const { headers } = await get('/t/w_40,f_png/flag.png');
    const etag = headers.etag ?? '';
    const again = await ask(service.url, '/t/w_40,f_png/flag.png', {
      headers: { 'if-none-match': `"other", ${etag}` },
    });
    expect(again.status).toBe(304);
    await pass(1);
    expect((await history()).samples[0]).toMatchObject({ hits: 1, misses: 1 });
  });

  test.each(['0', '1441', 'x', '1.5', ''])('is 400 for %j minutes', async (minutes) => {
    const answer = await get(`/stats/history?minutes=${minutes}`);
    expect([answer.status, answer.json().code]).toEqual([400, 'validation_failed']);
    expect(answer.json().message).toContain('minutes');
  });
});

describe('GET /stats/activity', () => {
  interface Active {
    stepSeconds: number;
    samples: Record<string, unknown>[];
    refusals: Record<string, unknown>[];
  }
  const activity = async (query = '') => (await get(`/stats/activity${query}`)).json() as unknown as Active;

  test('has what happened by hour, and what was refused by its reason, also after a restart', async () => {
    const data = await temporaryFolder();
    onTestFinished(data.close);
    const restart = async () => {
      await service.close();
      service = await startService({ DATA_DIR: data.folder });
    };
    await restart();
    await service.place('flag.png', fixture('flag-alpha.png'));
    for (let n = 0; n < 2; n++) expect((await get('/t/w_40,f_png/flag.png')).status).toBe(200);
    for (let n = 0; n < 3; n++) expect((await ask(service.url, '/t/nothing.png')).status).toBe(404);
    expect((await ask(service.url, '/storage')).status).toBe(401);
    expect((await get('/t/w_99999/flag.png')).status).toBe(400);
    const { stepSeconds, samples, refusals } = await activity();
    expect([stepSeconds, samples.length]).toEqual([3600, 1]);
    expect(samples[0]).toEqual({
      at: expect.stringMatching(/:00:00\.000Z$/),
      requests: expect.any(Number),
      hits: 1,
      misses: 1,
      bytesSent: expect.any(Number),
      renders: 1,
      renderP50Ms: expect.any(Number),
      renderP95Ms: expect.any(Number),
    });
    expect(refusals[0]).toEqual({ code: 'file_not_found', status: 404, meaning: expect.any(String), count: 3 });
    expect(refusals.map(({ code }) => code).toSorted()).toEqual([
      'file_not_found',
      'parameter_out_of_range',
      'unauthorized',
    ]);
    expect((await activity('?days=1')).refusals).toEqual(refusals);
    await restart();
    const after = await activity();
    expect(after.refusals).toEqual(refusals);
    const { hits, misses, renders, renderP50Ms, renderP95Ms } = samples[0] ?? {};
    expect(after.samples[0]).toMatchObject({ hits, misses, renders, renderP50Ms, renderP95Ms });
    for (const days of ['0', '31', 'x']) expect((await get(`/stats/activity?days=${days}`)).status).toBe(400);
  });
});
