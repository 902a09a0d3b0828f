import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { TEST_KEY } from '../service.ts';
import { openStudio } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let film: Buffer;

/** Sends a request from any address, as declared by a trusted proxy. */
const from = (address: string, path: string, headers: Record<string, string> = {}) =>
  ask(service.url, path, { headers: { 'x-forwarded-for': address, ...headers } });

beforeAll(async () => {
  const studio = await openStudio();
  film = await sidesFilm(studio);
  await studio.close();
  service = await startVideoService({
    TRUSTED_PROXIES: '127.0.0.1',
    VIDEO_QUEUE_MAX: '12',
    VIDEO_QUEUE_MAX_PER_CLIENT: '4',
    VIDEO_MAX_CONCURRENT: '1',
  });
  await service.place('film.mp4', film);
});
afterAll(() => service.close());

describe('a visitor who asks for one width after the other', () => {
  test('gets so many transcodes queued, then 429 that says when to come back; what is queued already he may ask for', async () => {
    for (let width = 20; width < 28; width += 2) {
      expect((await from('203.0.113.1', `/t/w_${width}/film.mp4`)).status).toBe(202);
    }
    for (const path of ['/t/w_100/film.mp4', '/api/t/w_102,f_webm/film.mp4']) {
      const refused = await from('203.0.113.1', path);
      expect(refused.status).toBe(429);
      expect(refused.headers).toMatchObject({ 'retry-after': '30', 'cache-control': 'no-store' });
      expect(refused.json()).toEqual({
        error: 'Too many requests',
        code: 'too_much_work',
        message: expect.stringContaining('VIDEO_QUEUE_MAX_PER_CLIENT'),
        retryAfter: 30,
      });
    }
    expect((await from('203.0.113.1', '/t/w_20/film.mp4')).status).toBe(202);
    // Neither a frame nor the file itself is a transcode.
    expect((await from('203.0.113.1', '/t/t_true,w_20/film.mp4')).status).toBe(200);
    expect((await from('203.0.113.1', '/t/film.mp4')).status).toBe(200);
  });

  test('keeps no other from it; an IPv6 network is one visitor', async () => {
    for (let width = 40; width < 48; width += 2) {
      expect((await from(`2001:db8:1:2::${width}`, `/t/w_${width}/film.mp4`)).status).toBe(202);
    }
    expect((await from('2001:db8:1:2::9', '/t/w_50/film.mp4')).status).toBe(429);
    expect((await from('203.0.113.2', '/t/w_60/film.mp4')).status).toBe(202);
  });

  test('is not whoever shows a key, nor an upload', async () => {
    const key = { 'x-api-key': TEST_KEY };
    expect((await from('203.0.113.1', '/t/w_70/film.mp4', key)).status).toBe(202);
    const upload = await service.upload({ 'own.mp4': film }, { transformations: 'w_72;w_74' });
    expect(await upload.json()).toMatchObject({ files: [{ queueErrors: [] }] });
  });

  test('finds a full queue at last, as everybody does: 503', async () => {
    expect((await service.services.queue.stats()).pending).toBe(12);
    const refused = await from('203.0.113.3', '/t/w_80/film.mp4');
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({ 'retry-after': '30', 'cache-control': 'no-store' });
    expect(refused.json().message).toContain('VIDEO_QUEUE_MAX');
    const upload = await service.upload({ 'late.mp4': film }, { transformations: 'w_82' });
    expect(await upload.json()).toMatchObject({
      files: [{ queueErrors: [expect.stringContaining('VIDEO_QUEUE_MAX')] }],
    });
  });

  test('waits for his turn: the jobs of all are done one by one, in turn', async () => {
    const order: string[] = [];
    const leave = service.services.events.subscribe(({ type, data }) => {
      if (type === 'job:started') order.push(data.jobId);
    });
    service.services.worker?.start();
    await expect.poll(async () => (await service.services.queue.stats()).completed, { timeout: 60_000 }).toBe(12);
    leave();
    const { jobs } = await service.services.queue.jobs.list({ limit: 100, offset: 0 });
    const widths = order.map((id) => jobs.find((job) => job.id === id)?.transformation);
    // The four of one, the four of another, the one of a third and the one requested with a key; then those of the
    // upload.
    expect(widths).toEqual([
      'w_20',
      'w_40',
      'w_60',
      'w_70',
      ...['w_22', 'w_42', 'w_24', 'w_44', 'w_26', 'w_46'],
      'w_72',
      'w_74',
    ]);
    expect((await from('203.0.113.1', '/t/w_100/film.mp4')).status).toBe(202);
  });

  test('leaves no address in the database', async () => {
    const rows = await service.services.database.db.selectFrom('job').select('client').execute();
    expect(rows.filter(({ client }) => client !== '').length).toBeGreaterThan(8);
    expect(JSON.stringify(rows)).not.toMatch(/203\.0\.113|2001:db8/);
  });
});
