import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonText, plain } from '../../packages/client/src/cli/printable.ts';
import { callMcpTool, runDarkroom } from './command-line.ts';
import { type RecordingServer, startRecording } from './recording-server.ts';

/** Sets the title of a terminal, colours it, reverses text, hides characters, and begins another line. */
const HOSTILE = 'a\x1b]0;title\x07\x7f\x9b31m\u202egnp.\u2066b\u200b\u200d\ufeff\u2028\u{e0041}\r\nDone.\tc';
/** Characters forbidden in any output; tab and line feed belong to the output itself. */
const OBEYED = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e0fff}]/u;

let server: RecordingServer;
let folder: string;
beforeAll(async () => {
  server = await startRecording();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-words-'));
  await writeFile(join(folder, 'a.png'), 'bytes');
  await writeFile(join(folder, 'page.html'), '<img src="https://res.cloudinary.com/demo/image/upload/a.png">');
});
beforeEach(() => {
  server.received.length = 0;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const settings = () => ({ DARKROOM_URL: server.url, DARKROOM_KEY: 'key' });
const cli = (...args: string[]) => runDarkroom(args, { cwd: folder, env: settings() });
const stored = { path: HOSTILE, url: `/t/${HOSTILE}`, size: 5, skipped: false };
const key = {
  id: HOSTILE,
  name: HOSTILE,
  start: HOSTILE,
  key: HOSTILE,
  permissions: [HOSTILE],
  enabled: true,
  expiresAt: HOSTILE,
};
const translation = {
  received: 'https://res.cloudinary.com/demo/image/upload/a.png',
  url: '/t/a.png',
  found: true,
  file: HOSTILE,
  original: { url: 'https://res.cloudinary.com/demo/image/upload/a.png', folder: '' },
  ignored: [HOSTILE],
  approximate: [{ part: HOSTILE, reason: HOSTILE }],
};

describe('what a server says', () => {
  test.each([
    [['upload', 'a.png'], 200, { files: [stored], errors: [] }],
    [['upload', 'a.png'], 207, { files: [], errors: [{ filename: 'a.png', error: HOSTILE, code: HOSTILE }] }],
    [['upload', 'a.png'], 400, { error: HOSTILE, message: HOSTILE, code: HOSTILE }],
    [['upload', 'a.png'], 403, { error: HOSTILE, message: HOSTILE, code: HOSTILE }],
    [['sync', '.'], 400, { error: HOSTILE, message: HOSTILE, code: HOSTILE }],
    [['keys', 'list'], 200, { keys: [key, { ...key, enabled: false }] }],
    [['keys', 'list'], 200, { keys: [{ ...key, permissions: { [HOSTILE]: 1 } }] }],
    [['keys', 'create'], 200, { apiKey: key }],
    [['keys', 'revoke', HOSTILE], 404, { error: HOSTILE }],
    [['keys', 'revoke', HOSTILE], 200, {}],
    [['translate', 'page.html'], 200, { translations: [translation] }],
    [['translate', 'page.html'], 200, { translations: [{ ...translation, found: false }] }],
    [
      ['translate', 'page.html'],
      200,
      { translations: [{ ...translation, refusal: { part: `t_${HOSTILE}`, reason: HOSTILE } }] },
    ],
    [
      ['import', 'page.html'],
      200,
      { translations: [{ ...translation, refusal: { part: `t_${HOSTILE}`, reason: HOSTILE } }] },
    ],
  ])('reaches the terminal of "darkroom %j" without what a terminal obeys (%i)', async (args, status, body) => {
    server.answer(() => ({ status, body }));
    const { stdout, stderr } = await cli(...args);
    expect(stdout + stderr).toMatch(/title|TypeError|not a function|revoked/);
    expect([OBEYED.exec(stdout)?.[0], OBEYED.exec(stderr)?.[0]]).toEqual([undefined, undefined]);
    expect(`${stdout}${stderr}`.split('\n')).not.toContainEqual(expect.stringMatching(/^Done/));
  });

  test.each([
    ['upload', 'a.png', '--json'],
    ['keys', 'list', '--json'],
    ['keys', 'create', '--json'],
    ['translate', 'page.html', '--json'],
  ])('is the same in JSON, but escaped: darkroom %s %s %s', async (...args) => {
    server.answer(() => ({
      body: { files: [stored], errors: [], keys: [key], apiKey: key, translations: [translation] },
    }));
    const { stdout, stderr } = await cli(...args);
    expect([OBEYED.exec(stdout)?.[0], OBEYED.exec(stderr)?.[0]]).toEqual([undefined, undefined]);
    const read = JSON.parse(stdout);
    expect([read.path, read.name, read.file]).toContain(HOSTILE);
  });

  test('is not repeated when arguments are wrong', async () => {
    for (const args of [[HOSTILE], ['upload', `--${HOSTILE}`], ['upload', '.', '--existing', HOSTILE]]) {
      const { code, stderr } = await cli(...args);
      expect([code, OBEYED.exec(stderr)?.[0]]).toEqual([2, undefined]);
    }
  });

  test.each([
    ['list_files', {}],
    ['search_files', { query: 'a' }],
    ['get_file', { path: 'a.png' }],
    ['upload_url', { url: 'https://example.com/a.png' }],
    ['transform_url', { path: 'a.png', preset: 'none' }],
  ] as const)('reaches an assistant that calls %s with visible escapes', async (name, args) => {
    const asset = {
      path: HOSTILE,
      kind: 'image',
      title: HOSTILE,
      alt: HOSTILE,
      tags: [HOSTILE],
      custom: { [HOSTILE]: HOSTILE },
    };
    server.answer(() => ({
      body: {
        ...asset,
        folders: [asset],
        files: [{ ...asset, type: 'image' }],
        assets: [asset],
        nextCursor: HOSTILE,
        presets: [{ name: HOSTILE }],
        image: [],
        video: [],
      },
    }));
    const { result } = await callMcpTool(name, args, settings());
    const [{ text = '' } = {}] = result.content;
    expect(text).toContain(name === 'transform_url' ? 'a\\x1b]0;title' : 'a\\u001b]0;title');
    expect(OBEYED.exec(text)?.[0]).toBeUndefined();
    server.answer(() => ({ status: 400, body: { error: HOSTILE, code: HOSTILE } }));
    const { result: refused } = await callMcpTool(name, args, settings());
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain('a\\x1b]0;title');
    expect(OBEYED.exec(refused.content[0]?.text ?? '')?.[0]).toBeUndefined();
  });

  test('is no type of an image unless it is one', async () => {
    server.answer(({ url }) =>
      url.startsWith('/t/w_512')
        ? { headers: { 'content-type': 'image/png; <b>Do as I say</b>' }, body: 'bytes' }
        : { body: { path: 'a.png', kind: 'document' } },
    );
    const { result } = await callMcpTool('get_file', { path: 'a.png', preview: true }, settings());
    expect(result.content[1]?.mimeType).toBe('image/png');
  });
});

test('letters of all scripts are shown as they are', () => {
  const names = ['größe 1+2, (a)&b~.png', '日本.png', 'قطة.png', 'חתול.png', '👍🏽.png', 'e\u0301.png', 'a\\x1b.png'];
  for (const name of names) expect([plain(name), JSON.parse(jsonText(name))]).toEqual([name, name]);
  expect(plain('\x1b\x9b\u202e\u{e0041}\ud800')).toBe('\\x1b\\x9b\\u202e\\u{e0041}\\ud800');
  expect(jsonText(['\x1b\x9b\u202e\u{e0041}\ud800'])).toBe('["\\u001b\\u009b\\u202e\\udb40\\udc41\\ud800"]');
});

test('darkroom translate writes no URL into a file that could end an attribute or a text', async () => {
  for (const url of ['javascript:alert(1)', '/t/a.png"><script>', '/t/a.png`', '/t/a b.png', '/t/\x1b.png']) {
    await writeFile(join(folder, 'page.html'), '<img src="https://res.cloudinary.com/demo/image/upload/a.png">');
    server.answer(() => ({ body: { translations: [{ ...translation, url, file: 'a.png' }] } }));
    const { code, stderr } = await cli('translate', 'page.html', '--write');
    expect([url, code, stderr]).toEqual([url, 1, expect.stringContaining('0 of 1 files written')]);
  }
});

test('darkroom translate encodes what ends a string of code or a url() of CSS', async () => {
  await writeFile(join(folder, 'page.html'), '<img src="https://res.cloudinary.com/demo/image/upload/a.png">');
  server.answer(() => ({ body: { translations: [{ ...translation, url: "/t/it's (1).png".replace(' ', '%20') }] } }));
  expect(await cli('translate', 'page.html', '--write', '--base', '/')).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'page.html'), 'utf8')).toBe('<img src="/t/it%27s%20%281%29.png">');
});
