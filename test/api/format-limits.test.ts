import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

/** 1.2 megapixels. */
const LARGE = 'w_1500,h_800';
const BOTH = 'image/avif,image/webp,*/*;q=0.8';

let service: TestService;

beforeAll(async () => {
  service = await startService({ MAX_AVIF_MEGAPIXELS: '1', MAX_GIF_MEGAPIXELS: '1', MAX_WEBP_MEGAPIXELS: '2' });
  await writeFile(join(service.originals, 'photo.jpg'), fixture('photo-2725x2225.jpg'));
  await writeFile(join(service.originals, 'flag.png'), fixture('flag-alpha.png'));
});
afterAll(() => service.close());

const get = (segment: string, name: string, accept?: string): Promise<Answer> =>
  ask(service.url, `/t/${segment}/${name}`, { ...(accept && { headers: { accept } }) });

describe('a result that is too large for its format', () => {
  test.each([
    ['f_avif', 'photo.jpg', 'MAX_AVIF_MEGAPIXELS', 'the limit for AVIF is 1 '],
    ['f_gif', 'photo.jpg', 'MAX_GIF_MEGAPIXELS', 'the limit for GIF is 1 '],
    ['f_webp,r_max', 'photo.jpg', 'MAX_WEBP_MEGAPIXELS', 'the limit for WEBP with transparency is 1 '],
    ['f_webp', 'flag.png', 'MAX_WEBP_MEGAPIXELS', 'the limit for WEBP with transparency is 1 '],
  ])(
    'is 400 with %s of %s, names %s, and costs nothing when it is asked for again',
    async (format, name, setting, rule) => {
      for (let n = 0; n < 2; n++) {
        const before = service.services.pool.stats().rendered;
        const answer = await get(`${LARGE},${format}`, name);
        expect([answer.status, answer.headers['cache-control']]).toEqual([400, 'no-store']);
        const { error, message } = answer.json();
        expect(error).toBe('Limit exceeded');
        expect(message).toContain('1.2 megapixels (1500x800)');
        expect(message).toContain(rule);
        expect(message).toContain(setting);
        expect(service.services.pool.stats().rendered - before).toBe(n === 0 ? 1 : 0);
      }
    },
  );

  test.each([
    ['f_jpeg', 'photo.jpg', 'image/jpeg'],
    ['f_png', 'flag.png', 'image/png'],
    ['f_webp', 'photo.jpg', 'image/webp'],
    ['f_webp,b_fff,c_pad', 'photo.jpg', 'image/webp'],
  ])('is one with %s of %s no more', async (format, name, type) => {
    const { status, headers } = await get(`${LARGE},${format}`, name);
    expect([status, headers['content-type']]).toEqual([200, type]);
  });
});

describe('where the client leaves the format to us', () => {
  test('the next one that it takes is chosen instead, and cached', async () => {
    const first = await get(`${LARGE},q_60`, 'photo.jpg', BOTH);
    expect([first.status, first.headers['content-type'], first.headers.vary]).toEqual([200, 'image/webp', 'Accept']);
    const before = service.services.pool.stats().rendered;
    for (let n = 0; n < 3; n++) {
      const again = await get(`${LARGE},q_60`, 'photo.jpg', BOTH);
      expect([again.status, again.headers['x-cache'], again.headers.etag]).toEqual([200, 'hit', first.headers.etag]);
    }
    const explicit = await get(`${LARGE},q_60,f_webp`, 'photo.jpg');
    expect([explicit.headers['x-cache'], explicit.headers.etag]).toEqual(['hit', first.headers.etag]);
    const unchanged = await ask(service.url, `/t/${LARGE},q_60/photo.jpg`, {
      headers: { accept: BOTH, 'if-none-match': String(first.headers.etag) },
    });
    expect(unchanged.status).toBe(304);
    expect(service.services.pool.stats().rendered).toBe(before);
  });

  test.each([
    ['q_61', 'photo.jpg', 'image/avif', 'image/jpeg'],
    ['q_62', 'photo.jpg', 'image/avif,image/webp;q=0', 'image/jpeg'],
    ['q_63,r_max', 'photo.jpg', BOTH, 'image/png'],
    ['q_64', 'flag.png', BOTH, 'image/png'],
    ['q_65', 'photo.jpg', undefined, 'image/jpeg'],
  ])('%s of %s for "%s" is %s', async (segment, name, accept, type) => {
    const { status, headers } = await get(`${LARGE},${segment}`, name, accept);
    expect([status, headers['content-type'], headers.vary]).toEqual([200, type, 'Accept']);
  });

  test('what is small enough is AVIF as ever', async () => {
    expect((await get('w_1200,h_800', 'photo.jpg', BOTH)).headers['content-type']).toBe('image/avif');
  });

  test('uploads are prewarmed with what visitors will get', async () => {
    const answer = await service.upload({ 'new.jpg': fixture('photo-2725x2225.jpg') }, { transformations: LARGE });
    const { files } = (await answer.json()) as { files: { prewarmedUrls: string[]; prewarmErrors: string[] }[] };
    expect([files[0]?.prewarmedUrls.length, files[0]?.prewarmErrors]).toEqual([1, []]);
    for (const accept of [BOTH, 'image/webp', 'image/avif', undefined]) {
      expect((await get(LARGE, 'new.jpg', accept)).headers['x-cache']).toBe('hit');
    }
  });
});
