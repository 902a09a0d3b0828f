import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const PRESETS = 'thumb=w_20;hero=w_40';
const WIDTH = 'parameter "w": expected a whole number of pixels from 1 to MAX_OUTPUT_SIDE';

async function start(environment: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ API_SECRET: SECRET, PRESETS, ...environment });
  const folder = join(service.originals, 'w_100px');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'there.png'), fixture('flag-alpha.png'));
  return service;
}

let service: TestService;
beforeAll(async () => {
  service = await start();
});
afterAll(() => service.close());

/** Returns the text of the 404 after "There is no file ..."; empty without more. */
async function reasonOf(rest: string, at = service, prefix = '/t/', headers: Record<string, string> = {}) {
  const answer = await ask(at.url, prefix + rest, { headers });
  const { error, message } = answer.json() as { error: string; message: string };
  expect([answer.status, answer.headers['cache-control'], error]).toEqual([404, 'no-store', 'File not found']);
  const [start, reason = ''] = /^There is no file "[^"]*"\.(?: (.*))?$/.exec(message) ?? [];
  expect(start, message).toBe(message);
  return reason;
}

describe('the 404 of a file that is missing says why its first segment is no transformation', () => {
  test.each([
    ['w_100px/x.jpg', `"w_100px" is no transformation: ${WIDTH}, received "100px".`],
    ['w_-5/x.jpg', `"w_-5" is no transformation: ${WIDTH}, received "-5".`],
    [
      'w_100,h_5em/x.jpg',
      expect.stringMatching(/^"w_100,h_5em" is no .*: parameter "h": expected .*, received "5em"\.$/),
    ],
    ['w_1.5/x.mp4', `"w_1.5" is no transformation: ${WIDTH}, received "1.5".`],
    ['f_psd/x.jpg', expect.stringMatching(/: parameter "f": expected avif, webp, .*, received "psd"\.$/)],
    ['f_pdf/x.mp4', expect.stringMatching(/: parameter "f": expected mp4, webm, .*, received "pdf"\.$/)],
    ['zoom_2,w_100/x.jpg', '"zoom_2,w_100" is no transformation: there is no parameter "zoom".'],
    [
      'e_blur_3/x.jpg',
      '"e_blur_3" is no transformation: parameter "e_blur": expected e_blur:value, received "e_blur_3".',
    ],
    ['e_sparkle:3/x.jpg', '"e_sparkle:3" is no transformation: there is no parameter "e_sparkle".'],
    [
      'e_tint/x.jpg',
      '"e_tint" is no transformation: parameter "e_tint": expected a colour (3 or 6 hexadecimal digits; white, black), and after a : how much of it in percent, a whole number from 1 to 100, received "".',
    ],
    ['width_100/x.jpg', '"width_100" is no transformation: there is no parameter "width".'],
    ['w_100,sepia/x.jpg', '"w_100,sepia" is no transformation: expected parts like w_400, received "sepia".'],
    ['n_typo/x.jpg', '"n_typo" is no transformation: there is no preset "typo", but thumb, hero.'],
    ['n_thumb,w_5/x.jpg', '"n_thumb,w_5" is no transformation: a preset stands alone.'],
    ['w_5,n_thumb/x.jpg', '"w_5,n_thumb" is no transformation: a preset stands alone.'],
    ['w_5%20/x.jpg', `"w_5 " is no transformation: ${WIDTH}, received "5 ".`],
    [`w_${'x'.repeat(200)}/x.jpg`, expect.stringMatching(/^"w_x{98}…" is no .*, received "x{100}…"\.$/)],
  ])('%s', async (rest, reason) => {
    expect(await reasonOf(rest)).toEqual(reason);
  });
});

describe('it says why the segment after a transformation would not be one either', () => {
  test.each([
    ['w_100/f_webpp,q_80/x.jpg', '"f_webpp,q_80" is none: parameter "f": expected avif, webp, '],
    ['w_100/q_80,f_webpp/a/x.jpg', '"q_80,f_webpp" is none: parameter "f": '],
    ['w_100/q_80,sepia/x.jpg', '"q_80,sepia" is none: expected parts like w_400, received "sepia".'],
    ['w_100/h_5em/q_80/x.jpg', '"h_5em" is none: parameter "h": '],
    ['n_thumb/w_100px/x.jpg', `"w_100px" is none: ${WIDTH}, received "100px".`],
    ['w_100/n_typo/x.jpg', '"n_typo" is none: there is no preset "typo", but thumb, hero.'],
    ['w_320/f_webmm/x.mp4', '"f_webmm" is none: parameter "f": expected mp4, '],
  ])('%s', async (rest, reason) => {
    expect(await reasonOf(rest)).toContain(`Only the first segment is read as a transformation, and ${reason}`);
  });
});

describe('it says that only the first segment is one, and how it is written', () => {
  test.each([
    ['w_100/f_webp/x.jpg', 'w_100,f_webp/x.jpg'],
    ['w_100/f_webp/q_80/a/x.jpg', 'w_100,f_webp,q_80/a/x.jpg'],
    ['w_100/a/f_webp/x.jpg', 'w_100,f_webp/a/x.jpg'],
    ['w_100/w_0/x.jpg', 'w_100,w_0/x.jpg'],
    ['photos/w_100/x.jpg', 'w_100/photos/x.jpg'],
    ['photos_2024/w_100/x.jpg', 'w_100/photos_2024/x.jpg'],
    ['x.jpg/w_100', 'w_100/x.jpg'],
    ['photos/n_thumb/x.jpg', 'n_thumb/photos/x.jpg'],
    ['so_1/w_320/x.mp4', 'so_1,w_320/x.mp4'],
  ])('%s', async (rest, right) => {
    expect(await reasonOf(rest)).toBe(`Only the first segment is read as a transformation, as in "${right}".`);
  });

  test.each(['n_thumb/w_100/x.jpg', 'w_100/n_thumb/x.jpg', 'a/n_thumb/n_hero/x.jpg'])(
    '%s: a preset stands alone',
    async (rest) => {
      expect(await reasonOf(rest)).toBe(
        'Only the first segment is read as a transformation, and a preset stands alone.',
      );
    },
  );
});

test.each([
  'x.jpg',
  'photos/x.jpg',
  'w_100/x.jpg',
  'w_100/photos/x.jpg',
  'w_100/photos_2024/x.jpg',
  'w_100/my,folder/x.jpg',
  'my%20folder_1,%20w/x.jpg',
  '2024_05/x.jpg',
  'w_100/f_webp',
  '_/x.jpg',
])('it says no more of what is no attempt at a transformation: %s', async (rest) => {
  expect(await reasonOf(rest)).toBe('');
});

test('a folder of such a name is delivered from all the same', async () => {
  expect((await ask(service.url, '/t/w_100px/there.png')).status).toBe(200);
  expect((await ask(service.url, '/t/w_10,f_png/w_100px/there.png')).status).toBe(200);
});

test('the status of a video says the same', async () => {
  expect(await reasonOf('w_100px/x.mp4', service, '/video-status/')).toContain(WIDTH);
  expect(await reasonOf('w_100/q_50/x.mp4/size', service, '/video-status/')).toContain('"w_100,q_50/x.mp4"');
});

describe('signed delivery', () => {
  const signed = (rest: string) => `/authenticated/s--${sign(rest, SECRET)}/`;

  test('says the same, once the signature is good', async () => {
    for (const rest of ['w_100px/x.jpg', 'w_100/f_webp/x.jpg']) {
      expect(await reasonOf(rest, service, signed(rest))).toBe(await reasonOf(rest));
    }
    expect((await ask(service.url, '/authenticated/s--0123456789abcdef/w_100px/x.jpg')).status).toBe(401);
  });

  test('names presets only where anybody may use them', async () => {
    const closed = await start({ DELIVERY_MODE: 'signed' });
    try {
      const unnamed = '"n_typo" is no transformation: there is no preset "typo".';
      expect(await reasonOf('n_typo/x.jpg', closed, signed('n_typo/x.jpg'))).toBe(unnamed);
      expect(await reasonOf('n_typo/x.jpg', closed, '/t/', { 'x-api-key': TEST_KEY })).toBe(unnamed);
      expect((await ask(closed.url, '/t/n_typo/x.jpg')).status).toBe(401);
    } finally {
      await closed.close();
    }
    const bare = await start({ PRESETS: '' });
    try {
      expect(await reasonOf('n_typo/x.jpg', bare)).toBe('"n_typo" is no transformation: there is no preset "typo".');
    } finally {
      await bare.close();
    }
  });
});
