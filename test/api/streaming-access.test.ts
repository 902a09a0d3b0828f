import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import { ask } from '../http.ts';
import { played, readMediaPlaylist } from '../streams.ts';
import { H264, openStudio, redLeftBlueRight, tone } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const NAME = 'films/a b.mp4';
const VIDEO = 'films/a%20b.mp4';

let film: Buffer;
const running: VideoService[] = [];

beforeAll(async () => {
  const studio = await openStudio();
  film = await readFile(
    await studio.make('small.mp4', ...redLeftBlueRight('160x90', 3), ...tone(3), '-c:a', 'aac', ...H264),
  );
  await studio.close();
});
afterAll(() => Promise.all(running.map((service) => service.close())));

/** Starts a service with a finished stream of the film. */
async function start(environment: Record<string, string>, url: (service: VideoService) => string) {
  const service = await startVideoService({ ...environment });
  running.push(service);
  await service.place(NAME, film);
  service.services.worker?.start();
  expect((await ask(service.url, url(service))).status).toBe(202);
  await service.allEnded(NAME);
  return service;
}

const signed = ({ services }: VideoService, raw: string, expires?: number) =>
  signDeliveryUrl(raw, { secret: SECRET, limits: services.config.limits, expires });

/** Returns the URIs in a playlist or a manifest, as paths. */
function urisIn(text: string, service: VideoService, base: string): string[] {
  const attributes = [...text.matchAll(/URI="([^"]+)"/g), ...text.matchAll(/<BaseURL>([^<]+)</g)].map(([, uri]) => uri);
  const lines = text.split('\n').filter((line) => line.startsWith('..'));
  return [...attributes, ...lines].map((uri = '') => new URL(uri, service.url + base).pathname);
}

describe('where only signed URLs deliver', () => {
  test.each([
    ['for good', undefined],
    ['for a while', Math.floor(Date.now() / 1000) + 600],
  ])('a stream that is signed %s leads to files that are signed as long', async (_, expires) => {
    const service = await start({ DELIVERY_MODE: 'signed', API_SECRET: SECRET }, (one) =>
      signed(one, `f_hls/${VIDEO}`, expires),
    );
    const cacheControl = expires === undefined ? /^public, max-age=31536000/ : /^private, max-age=\d+$/;
    for (const segment of ['f_hls', 'f_dash', 'h_360,c_fit,f_m3u8']) {
      const url = signed(service, `${segment}/${VIDEO}`, expires);
      const answer = await ask(service.url, url);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, expect.stringMatching(cacheControl)]);
      const uris = urisIn(answer.body.toString(), service, url);
      expect(uris.length).toBeGreaterThan(1);
      for (const uri of uris) {
        expect(uri).toMatch(expires === undefined ? /^\/authenticated\/s--\w+\/./ : new RegExp(`--${expires}/.`));
        expect((await ask(service.url, uri)).status).toBe(200);
        const unsigned = uri.replace(/^\/authenticated\/[^/]+/, '/t');
        expect((await ask(service.url, unsigned)).status).toBe(401);
      }
    }
    for (const segment of ['f_hls', 'f_dash']) {
      const { frames } = await played(service.url + signed(service, `${segment}/${VIDEO}`, expires), 'v:0');
      expect(frames).toBe(30);
    }
  });

  test('its state is told to who has its signature', async () => {
    const service = running.at(-1) as VideoService;
    const url = signed(service, `f_hls/${VIDEO}`).replace('/authenticated/', '/video-status/');
    expect((await ask(service.url, url)).json()).toMatchObject({ status: 'completed', rungs: [{}, {}] });
    expect((await ask(service.url, `/video-status/f_hls/${VIDEO}`)).status).toBe(401);
  });
});

describe('where only presets deliver', () => {
  test('a preset that is a stream leads to its files, and to no others', async () => {
    const PRESETS = 'stream=f_hls,h_540;thumb=w_200';
    const service = await start({ DELIVERY_MODE: 'presets', PRESETS }, () => `/t/n_stream/${VIDEO}`);
    const status = async (segment: string) => (await ask(service.url, `/t/${segment}/${VIDEO}`)).status;
    const master = await ask(service.url, `/t/n_stream/${VIDEO}`);
    const playlists = urisIn(master.body.toString(), service, `/t/n_stream/${VIDEO}`);
    expect(playlists).toEqual([`/t/au_aac,f_m3u8/${VIDEO}`, `/t/h_360,c_fit,f_m3u8/${VIDEO}`]);
    for (const playlist of playlists) {
      const { head } = readMediaPlaylist((await ask(service.url, playlist)).body.toString());
      expect((await ask(service.url, new URL(head.uri, service.url + playlist).pathname)).status).toBe(200);
    }
    expect((await played(`${service.url}/t/n_stream/${VIDEO}`, 'v:0')).frames).toBe(30);
    expect(await status('f_hls,h_540')).toBe(200);
    for (const other of ['f_hls', 'f_dash', 'f_cmaf,h_720', 'f_cmaf', 'f_cmaf,h_360,q_90', 'f_mp4,h_360']) {
      expect([other, await status(other)]).toEqual([other, 403]);
    }
  });
});

test('a playlist behind a prefix of a proxy, or by a URL with more slashes than it needs, leads to its files', async () => {
  const service = await start({ PUBLIC_URL: 'https://example.com/media' }, () => `/t/f_hls/${VIDEO}`);
  for (const url of [`/t/f_hls/${VIDEO}`, '/t//f_hls/films//a%20b.mp4', `/t/f_hls/${VIDEO}?v=2`]) {
    const text = (await ask(service.url, url)).body.toString();
    const uris = [...text.matchAll(/^\.\.\S+$/gm)].map(([uri]) => new URL(uri, `https://example.com/media${url}`));
    expect(uris.map(({ pathname }) => pathname)).toEqual([`/media/t/h_360,c_fit,f_m3u8/${VIDEO}`]);
  }
});
