import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { isNear, openStudio, RED, type Studio } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let studio: Studio;
const get = (path: string, headers = {}) => ask(service.url, path, { headers });

beforeAll(async () => {
  studio = await openStudio();
  const half = "format=rgba,geq=r=255:g=0:b=0:a='if(lt(X,W/2),255,0)'";
  const input = ['-f', 'lavfi', '-i', 'color=red:s=160x90:r=10:d=0.5', '-vf', half];
  const coding = ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-auto-alt-ref', '0', '-pix_fmt', 'yuva420p'];
  const film = await studio.make('alpha.webm', ...input, ...coding);
  service = await startVideoService();
  await service.place('alpha.webm', await readFile(film));
  service.services.worker?.start();
});
afterAll(() => Promise.all([service.close(), studio.close()]));

test.each([
  ['image/avif', 'image/avif'],
  ['image/webp', 'image/webp'],
  ['*/*', 'image/png'],
])('a still of a video with alpha keeps it for a client that accepts %s', async (accept, type) => {
  const answer = await get('/t/t_true,w_80/alpha.webm', { accept });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
  const { data, info } = await sharp(answer.body).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const alphaAt = (x: number) => data[(22 * info.width + x) * 4 + 3];
  expect(alphaAt(20)).toBeGreaterThan(247);
  expect(alphaAt(60)).toBeLessThan(8);
});

test('a transcode of a video with alpha lies on b, and each colour is a variant of its own', async () => {
  const black = await frameOf('w_80');
  const white = await frameOf('w_80,b_white');
  expect([isNear(black?.at(20, 22), RED), isNear(white?.at(20, 22), RED)]).toEqual([true, true]);
  expect(black?.at(60, 22)[1]).toBeLessThan(8);
  expect(white?.at(60, 22)[1]).toBeGreaterThan(247);
});

test('a stream of a video with alpha lies on b', async () => {
  const url = '/t/f_hls,b_white/alpha.webm';
  expect((await get(url)).status).toBe(202);
  await service.allEnded('alpha.webm');
  const playlist = (await get(url)).body.toString();
  expect(playlist).toContain('b_ffffff');
});

async function frameOf(segment: string) {
  const url = `/t/${segment}/alpha.webm`;
  expect((await get(url)).status).toBe(202);
  expect(await service.ended('alpha.webm')).toBe('completed');
  await writeFile(studio.path('result.mp4'), (await get(url)).body);
  return (await studio.frames(studio.path('result.mp4')))[0];
}
