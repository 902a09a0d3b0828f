import { readdir, readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { ask } from '../http.ts';
import { H264, openStudio } from '../video-samples.ts';
import { startVideoService, type VideoService } from '../videos.ts';

const SECRET = 'secret-of-storyboards-0123456789';
const NAME = 'films, 2024/a b.mp4';
const ENCODED = 'films%2C%202024/a%20b.mp4';
const SECONDS = 14;

/** Returns the colour that encodes the time. */
const clock = (second: number) => [30 + 15 * second, 128, 240 - 15 * second];

let film: Buffer;
beforeAll(async () => {
  const studio = await openStudio();
  const colours = Array.from({ length: SECONDS }, (_, n) => {
    const hex = Buffer.from(clock(n)).toString('hex');
    return `color=0x${hex}:s=64x36:r=5:d=1[c${n}]`;
  });
  const graph = `${colours.join(';')};${colours.map((_, n) => `[c${n}]`).join('')}concat=n=${SECONDS},format=yuv420p`;
  film = await readFile(await studio.make('clock.mp4', '-f', 'lavfi', '-i', graph, ...H264, '-g', '5'));
  await studio.close();
});

async function start(environment: Record<string, string> = {}) {
  const service = await startVideoService({ API_SECRET: SECRET, ...environment });
  await service.place(NAME, film);
  service.services.worker?.start();
  const get = (url: string) => ask(service.url, url);
  return { service, get };
}

async function close(service: VideoService) {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
  await service.close();
}

interface Cue {
  start: number;
  end: number;
  /** URL as resolved by a player. */
  sheet: string;
  place: number[];
}

function readCues(text: string, base: string): Cue[] {
  const [head, ...blocks] = text.trim().split('\n\n');
  expect(head).toBe('WEBVTT');
  return blocks.map((block) => {
    const [times = '', uri = ''] = block.split('\n');
    const [start = 0, end = 0] = times.split(' --> ').map((time) => {
      const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
      return hours * 3600 + minutes * 60 + seconds;
    });
    const url = new URL(uri, `http://host${base}`);
    return { start, end, sheet: url.pathname, place: url.hash.replace('#xywh=', '').split(',').map(Number) };
  });
}

/** Expects each rectangle of the sheet to show the frame of its time. */
async function expectTimes(cues: readonly Cue[], sheet: Buffer) {
  const { data, info } = await sharp(sheet).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  for (const { start, place } of cues) {
    const [x = 0, y = 0, width = 0, height = 0] = place;
    for (const [dx, dy] of [
      [2, 2],
      [width - 3, height - 3],
    ] as const) {
      const at = ((y + dy) * info.width + x + dx) * 3;
      const seen = [...data.subarray(at, at + 3)];
      const isNear = clock(Math.round(start)).every((value, n) => Math.abs(value - (seen[n] ?? 0)) <= 6);
      expect([start, seen, isNear]).toEqual([start, seen, true]);
    }
  }
}

describe('the WebVTT of a storyboard', () => {
  let service: VideoService;
  let get: (url: string) => ReturnType<typeof ask>;
  beforeAll(async () => {
    ({ service, get } = await start());
  });
  afterAll(() => close(service));

  const base = `/t/sb_true,w_32,q_100,f_vtt/${ENCODED}`;

  test('waits for its sheet, whose job it queues', async () => {
    const first = await get(base);
    expect([first.status, first.json().statusUrl]).toEqual([
      202,
      `/video-status/sb_true%2Cw_32%2Cq_100%2Cf_vtt/${ENCODED}`,
    ]);
    const { jobs } = await service.services.queue.jobs.list({ limit: 9, offset: 0 });
    expect(jobs.map(({ transformation }) => transformation)).toEqual(['w_32,sb_true,q_100']);
    expect(await service.ended(NAME)).toBe('completed');
    const status = `/video-status/sb_true,w_32,q_100,f_vtt/${ENCODED}`;
    expect((await get(status)).json()).toMatchObject({ status: 'completed', progress: 100 });
    const sheet = await get(`/t/w_32,sb_true,q_100/${ENCODED}`);
    expect((await get(`${status}/size`)).json()).toEqual({ size: sheet.body.length, status: 'ready' });
  });

  test('says for each moment where the sheet shows it', async () => {
    const answer = await get(base);
    expect([answer.status, answer.headers['content-type'], answer.headers['access-control-allow-origin']]).toEqual([
      200,
      'text/vtt; charset=utf-8',
      '*',
    ]);
    const cues = readCues(answer.body.toString(), base);
    expect(cues.map(({ start }) => start)).toEqual(Array.from({ length: SECONDS }, (_, n) => n));
    expect(cues.map(({ end }) => end)).toEqual(Array.from({ length: SECONDS }, (_, n) => n + 1));
    expect(new Set(cues.map(({ sheet }) => sheet))).toEqual(new Set([`/t/w_32,sb_true,q_100/${ENCODED}`]));
    expect([cues[0]?.place, cues[13]?.place]).toEqual([
      [0, 0, 32, 18],
      [96, 18, 32, 18],
    ]);
    const sheet = await get(cues[0]?.sheet ?? '');
    expect([sheet.status, sheet.headers['x-cache']]).toEqual([200, 'hit']);
    await expectTimes(cues, sheet.body);
  });

  test('is the same for as long as its original is, and knows who has it', async () => {
    const { headers } = await get(base);
    expect(headers['cache-control']).toBe('public, max-age=31536000, must-revalidate');
    const again = await ask(service.url, base, { headers: { 'if-none-match': headers.etag ?? '' } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test('under another prefix leads to the sheet under that', async () => {
    const { body } = await get(`/api${base}`);
    expect(readCues(body.toString(), `/media/cdn${base}`)[0]?.sheet).toBe(`/media/cdn/t/w_32,sb_true,q_100/${ENCODED}`);
  });

  test('is of storyboards alone', async () => {
    const answer = await get(`/t/f_vtt/${ENCODED}`);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringMatching(/sb_true with f_vtt/)]);
  });
});

test('a signed WebVTT signs the sheet, until the same moment', async () => {
  const { service, get } = await start({ DELIVERY_MODE: 'signed' });
  const expires = Math.floor(Date.now() / 1000) + 600;
  const signature = sign(`${expires}:sb_true,w_32,f_vtt/${NAME}`, SECRET);
  const url = `/authenticated/s--${signature}--${expires}/sb_true,w_32,f_vtt/${ENCODED}`;
  expect((await get(url)).status).toBe(202);
  await service.ended(NAME);
  const [cue] = readCues((await get(url)).body.toString(), url);
  expect(cue?.sheet).toMatch(new RegExp(`^/authenticated/s--[0-9a-f]{16,64}--${expires}/w_32,sb_true/`));
  expect((await get(cue?.sheet ?? '')).headers['content-type']).toBe('image/jpeg');
  expect((await get(`/t/w_32,sb_true/${ENCODED}`)).status).toBe(401);
  await close(service);
});

test('a preset of a WebVTT lets everybody have its sheet, and no other', async () => {
  const { service, get } = await start({ DELIVERY_MODE: 'presets', PRESETS: 'board=sb_true,w_32,f_vtt' });
  const url = `/t/n_board/${ENCODED}`;
  expect((await get(url)).status).toBe(202);
  await service.ended(NAME);
  const [cue] = readCues((await get(url)).body.toString(), url);
  expect((await get(cue?.sheet ?? '')).headers['content-type']).toBe('image/jpeg');
  expect((await get(`/t/sb_true,w_40/${ENCODED}`)).status).toBe(403);
  await close(service);
});
