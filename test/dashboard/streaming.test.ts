import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { COLOURS, colourStream } from '../streams.ts';
import { openStudio } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';
import { describeInBrowser, openWindow, type Window } from './browser.ts';

const { resolve } = createRequire(import.meta.url);
const PLAYERS = { '/hls.js': 'hls.js/dist/hls.min.js', '/shaka.js': 'shaka-player/dist/shaka-player.compiled.js' };
const RGB = {
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
  yellow: [255, 255, 0],
  magenta: [255, 0, 255],
};
/** Tolerance: the video is encoded with grain and drawn by another program. */
const NEAR = 60;

/** A page of another site with both players and the helpers of the tests. */
const PAGE = `<!doctype html><title>A film</title><video muted playsinline></video>
<script src="/hls.js"></script><script src="/shaka.js"></script>
<script>
  const film = document.querySelector('video');
  const heard = (target, name) => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
  const faults = [];
  async function openHls(url) {
    window.hls = new Hls({ maxBufferLength: 1, capLevelToPlayerSize: false, startLevel: 0 });
    hls.on(Hls.Events.ERROR, (_, { details, fatal }) => fatal && faults.push(details));
    const parsed = new Promise((resolve) => hls.once(Hls.Events.MANIFEST_PARSED, resolve));
    hls.loadSource(url);
    hls.attachMedia(film);
    await parsed;
  }
  async function openDash(url) {
    window.player = new shaka.Player();
    await player.attach(film);
    player.addEventListener('error', ({ detail }) => faults.push(String(detail.code)));
    // Without the type the player reads the URL as a file name.
    await player.load(url, null, 'application/dash+xml').catch(({ code, data }) => {
      throw new Error('Shaka: ' + code + ' ' + data);
    });
  }
  async function openFile(url) {
    film.crossOrigin = 'anonymous';
    const loaded = heard(film, 'loadedmetadata');
    film.src = url;
    await loaded;
  }
  async function seek(time) {
    const seeked = heard(film, 'seeked');
    film.currentTime = time;
    await seeked;
    while (film.readyState < 2) await heard(film, 'canplay');
  }
  function middle() {
    const canvas = new OffscreenCanvas(film.videoWidth, film.videoHeight);
    const context = canvas.getContext('2d');
    context.drawImage(film, 0, 0);
    return [...context.getImageData(film.videoWidth / 2, film.videoHeight / 2, 1, 1).data.slice(0, 3)];
  }
  async function play() {
    const ended = heard(film, 'ended');
    await film.play();
    await ended;
    const { totalVideoFrames, droppedVideoFrames } = film.getVideoPlaybackQuality();
    return { time: film.currentTime, duration: film.duration, totalVideoFrames, droppedVideoFrames };
  }
  // The player shows another rendition once its segment has arrived.
  async function until(test) {
    for (let n = 0; !test(); n++) await seek(0.5 + (n % 6));
  }
</script>`;

let service: VideoService;
let site: http.Server;
let origin: string;

beforeAll(async () => {
  const studio = await openStudio();
  const film = await colourStream(studio);
  await studio.close();
  service = await startVideoService();
  await service.place('film.mp4', film);
  service.services.worker?.start();
  for (const segment of ['f_hls', 'h_360']) expect((await ask(service.url, `/t/${segment}/film.mp4`)).status).toBe(202);
  await service.allEnded('film.mp4');
  site = http.createServer((request, response) => void answer(request.url ?? '', response));
  await once(site.listen(0, '127.0.0.1'), 'listening');
  origin = `http://localhost:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  site?.close();
  await service?.close();
});

async function answer(url: string, response: http.ServerResponse): Promise<void> {
  const file = PLAYERS[url as keyof typeof PLAYERS];
  if (!file && url !== '/') {
    response.writeHead(404).end();
    return;
  }
  const body = file ? await readFile(resolve(file)) : PAGE;
  response.writeHead(200, { 'Content-Type': file ? 'text/javascript' : 'text/html' }).end(body);
}

/** Evaluates an expression in the page and resolves its result. */
const run = <T>({ page }: Window, expression: string) => (page.evaluate as (text: string) => Promise<T>)(expression);

async function openPage(open: string): Promise<Window> {
  const window = await openWindow();
  await window.page.goto(origin);
  await run(window, open);
  return window;
}

/** Seeks into every second, forwards and backwards, and so into every segment. */
async function expectSeeks(window: Window): Promise<void> {
  for (const second of [0, 5, 2, 4, 1, 3]) {
    const colour = RGB[COLOURS[second] as keyof typeof RGB];
    await run(window, `seek(${second + 0.5})`);
    // The frame is painted shortly after the seek has ended.
    const look = async () => {
      const seen = await run<number[]>(window, 'middle()');
      return seen.every((value, n) => Math.abs(value - (colour[n] as number)) < NEAR) ? colour : seen;
    };
    await expect.poll(look, { message: `second ${second}` }).toEqual(colour);
  }
}

async function expectPlaysToEnd(window: Window): Promise<void> {
  await run(window, 'seek(0)');
  const { time, duration } = await run<{ time: number; duration: number }>(window, 'play()');
  expect(Math.abs(duration - 6)).toBeLessThan(1 / 24);
  expect(Math.abs(time - duration)).toBeLessThan(0.001);
  expect(await run(window, 'faults')).toEqual([]);
}

const url = (segment: string) => JSON.stringify(`${service.url}/t/${segment}/film.mp4`);

describeInBrowser('in Chromium, on a page of another site', () => {
  test('hls.js jumps into every segment, and plays to the end', async () => {
    const window = await openPage(`openHls(${url('f_hls')})`);
    await expectSeeks(window);
    await expectPlaysToEnd(window);
    await window.close();
  });

  test('hls.js changes between rungs', async () => {
    const window = await openPage(`openHls(${url('f_hls')})`);
    expect(await run(window, 'hls.levels.map(({ height }) => height)')).toEqual([360, 540]);
    for (const [level, width] of [
      [1, 960],
      [0, 640],
      [1, 960],
    ]) {
      await run(window, `hls.currentLevel = ${level}; until(() => film.videoWidth === ${width})`);
    }
    await expectSeeks(window);
    await window.close();
  });

  test('a player of DASH jumps into every segment, changes between rungs, and plays to the end', async () => {
    const window = await openPage(`openDash(${url('f_dash')})`);
    await run(window, `player.configure({ abr: { enabled: false } })`);
    for (const height of [540, 360]) {
      const track = `player.getVariantTracks().find((one) => one.height === ${height})`;
      // A rendition change while the first segments load may leave the player waiting.
      await run(window, `seek(${height === 540 ? 0.5 : 4.5})`);
      await run(window, `player.selectVariantTrack(${track}, true); until(() => film.videoHeight === ${height})`);
    }
    await expectSeeks(window);
    await expectPlaysToEnd(window);
    await window.close();
  });

  test.each(['h_360', 'h_360,f_cmaf'])('the browser itself plays %s', async (segment) => {
    const window = await openPage(`openFile(${url(segment)})`);
    await expectSeeks(window);
    await expectPlaysToEnd(window);
    await window.close();
  });
});
