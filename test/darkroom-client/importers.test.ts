import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findUrls } from '../../packages/client/src/cli/cloudinary-urls.ts';
import { growthOf } from '../growth.ts';
import { fixture } from '../http.ts';
import { COMPILED } from '../processes.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { ROOT } from '../source-files.ts';

const MAIN = join(ROOT, 'packages', 'client', 'src', 'cli', 'main.ts');

let service: TestService;
let cloudinary: Server;
let folder: string;
/** Paths requested from Cloudinary's stand-in. */
const asked: string[] = [];

const ORIGINALS: Record<string, Buffer> = {
  '/demo/image/upload/v1/blog/cover': fixture('concert.jpg'),
  '/demo/image/upload/v1/brand/logo': fixture('flag-alpha.png'),
  '/demo/image/upload/v1/my%20anim.v2': fixture('rotating-squares.gif'),
  '/demo/video/upload/v1/clips/tour': fixture('schizo_90.mp4'),
};

beforeAll(async () => {
  service = await startService({ OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8', PRESETS: 'card=w_30' });
  folder = await mkdtemp(join(tmpdir(), 'darkroom-importers-'));
  cloudinary = createServer(({ url = '' }, response) => {
    asked.push(url);
    const bytes = ORIGINALS[url];
    response.writeHead(bytes ? 200 : 404).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(cloudinary, 'listening');
});
afterAll(async () => {
  cloudinary.close();
  await service.close();
  await rm(folder, { recursive: true });
});

/** Runs the command line to its end, in the folder of the test. */
async function darkroom(args: string[], settings: Record<string, string> = {}) {
  const env = { ...COMPILED, DARKROOM_URL: service.url, DARKROOM_KEY: TEST_KEY, ...settings };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

async function write(files: Record<string, Buffer | string>): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}

const read = async (name: string) => (await readFile(join(folder, name))).toString('latin1');
const lines = (output: string) => output.split('\n').filter((line) => line !== '');
const host = () => `http://127.0.0.1:${(cloudinary.address() as AddressInfo).port}`;
const C = 'https://res.cloudinary.com/demo';

test('darkroom import has each original fetched once, under its own name with the extension of its type', async () => {
  const at = host();
  await write({
    'list.txt': `${at}/demo/image/upload/w_300/v12/blog/cover.png\n${at}/demo/image/upload/e_cartoonify/blog/cover\n`,
    'site/page.html': `<img src="${at}/demo/image/upload/t_hero/brand/logo.webp"><img src="${at}/demo/image/upload/my%20anim.v2">
      <img src="${at}/demo/image/upload/none.jpg"><img src="${at}/other/image/upload/theirs.jpg">
      <video src="${at}/demo/video/upload/so_1/clips/tour.jpg"></video>`,
    'site/code.js': `const url = \`${at}/demo/image/upload/\${how}/blog/cover.jpg\`;`,
  });
  const { code, stdout, stderr } = await darkroom(['import', 'list.txt', 'site', '--from', at, '--cloud', 'demo']);
  expect(
    lines(stdout)
      .map((line) => line.split('\t')[0])
      .sort(),
  ).toEqual([...['blog/cover.jpg', 'brand/logo.png', 'clips/tour.mp4', 'my anim.v2.gif']]);
  expect([code, lines(stderr).at(-1)]).toEqual([1, '4 new, 0 the same, 1 failed.']);
  expect(stderr).toContain(`${at}/demo/image/upload/v1/none: `);
  expect(stderr).toContain('PRESETS=hero=...');
  expect(stderr).toContain('code puts it together');
  expect([...asked].sort()).toEqual([...Object.keys(ORIGINALS), '/demo/image/upload/v1/none'].sort());
  expect((await fetch(`${service.url}/t/blog/cover.jpg`)).status).toBe(200);

  asked.length = 0;
  const again = await darkroom(['import', 'list.txt', 'site/page.html', '--from', at, '--cloud', 'demo', '--json']);
  expect(
    lines(again.stdout)
      .map((line) => JSON.parse(line).status)
      .sort(),
  ).toEqual(['failed', ...Array(4).fill('same')]);
  // A rejected URL does not reveal if its file exists, and is requested again.
  expect(asked).toContain('/demo/image/upload/v1/none');
  expect(asked).not.toContain('/demo/video/upload/v1/clips/tour');
});

describe('darkroom translate', () => {
  const before = [
    `<img src="${C}/image/upload/c_fill,w_200,h_100/q_auto/f_auto/v123/blog/cover.jpg?_a=B&amp;x#top" alt="é">`,
    `<img srcset="${C}/image/upload/w_40/blog/cover.jpg, ${C}/image/upload/w_80/blog/cover.jpg 2x">`,
    `<p style="background:url(&quot;//res.cloudinary.com/demo/image/upload/w_40/brand/logo&quot;)">`,
    `[a](${C}/image/upload/w_40/blog/cover.jpg "title") and see ${C}/image/upload/blog/cover.jpg.`,
    `{"a":"https:\\/\\/res.cloudinary.com\\/demo\\/image\\/upload\\/w_40\\/brand\\/logo.png\\n"}`,
    `.b{background:url(${C}/image/upload/l_text:Arial_12:It's/blog/cover.jpg)}`,
    `\`${C}/image/upload/w_\${width}/blog/cover.jpg\` ${C}/image/upload/e_cartoonify/blog/cover.jpg`,
    `${C}/image/upload/w_40/nowhere.jpg https://api.cloudinary.com/v1_1/demo/image/upload https://example.com/a.jpg`,
    `https://demo-res.cloudinary.com/image/upload/t_card/blog/cover\r`,
  ];
  // Bytes that are not UTF-8 are preserved.
  const bytes = Buffer.concat([Buffer.from(before.join('\n')), Buffer.from([0x0a, 0xff, 0xfe, 0x80])]);

  test('says what becomes of each URL and changes nothing, until it is told to write', async () => {
    await write({ 'web/page.html': bytes, 'web/data.bin': `\0${C}/image/upload/blog/cover.jpg`, 'web/plain.txt': 'é' });
    const told = await darkroom(['translate', 'web']);
    expect(told.code).toBe(1);
    const table = new Map(lines(told.stdout).map((line) => line.split('\t') as [string, string]));
    expect(table.get(`${C}/image/upload/w_40/blog/cover.jpg`)).toBe(`${service.url}/t/w_40,f_jpeg/blog/cover.jpg`);
    expect(told.stderr).toContain(`web/page.html:7: ${C}/image/upload/e_cartoonify/blog/cover.jpg: e_cartoonify: `);
    expect(told.stderr).toContain(
      'web/page.html:7: https://res.cloudinary.com/demo/image/upload/w_$: code puts it together',
    );
    expect(told.stderr).toContain('web/page.html:8: ');
    expect(told.stderr).toContain('there is no file nowhere.jpg');
    expect(lines(told.stderr).at(-1)).toBe('7 translated, 2 without a file, 2 refused; 0 of 3 files written.');
    for (const url of table.values()) expect((await fetch(url)).status, url).toBe(200);
    expect(await read('web/page.html')).toBe(bytes.toString('latin1'));
  });

  test('keeps everything else byte for byte, and the mode and the link of the file', async () => {
    await chmod(join(folder, 'web/page.html'), 0o640);
    await symlink('web/page.html', join(folder, 'link.html'));
    const { stderr } = await darkroom(['translate', 'link.html', '--write', '--base', 'https://media.example.com/']);
    expect(lines(stderr).at(-1)).toContain('1 of 1 files written.');
    const T = 'https://media.example.com/t';
    const after = [
      `<img src="${T}/w_200,h_100,q_auto,f_auto/blog/cover.jpg#top" alt="é">`,
      `<img srcset="${T}/w_40,f_jpeg/blog/cover.jpg, ${T}/w_80,f_jpeg/blog/cover.jpg 2x">`,
      `<p style="background:url(&quot;${T}/w_40,f_png/brand/logo.png&quot;)">`,
      `[a](${T}/w_40,f_jpeg/blog/cover.jpg "title") and see ${T}/blog/cover.jpg.`,
      `{"a":"${`${T}/w_40,f_png/brand/logo.png`.replaceAll('/', '\\/')}\\n"}`,
      before[5],
      before[6],
      before[7],
      `${T}/n_card/blog/cover.jpg\r`,
    ];
    const expected = Buffer.concat([Buffer.from(after.join('\n')), Buffer.from([0x0a, 0xff, 0xfe, 0x80])]);
    expect((await read('web/page.html')).split('\n')).toEqual(expected.toString('latin1').split('\n'));
    expect((await stat(join(folder, 'web/page.html'))).mode & 0o777).toBe(0o640);
    expect((await lstat(join(folder, 'link.html'))).isSymbolicLink()).toBe(true);
    expect((await readdir(join(folder, 'web'))).sort()).toEqual(['data.bin', 'page.html', 'plain.txt']);
    // A second run finds only the skipped entries.
    const again = await darkroom(['translate', 'link.html', '--write', '--json']);
    expect(lines(again.stdout).map((line) => JSON.parse(line).status)).not.toContain('translated');
    expect(lines(again.stderr).at(-1)).toContain('0 of 1 files written.');
  });

  test.each([
    [['translate'], 'Expected files or folders, received nothing.'],
    [['translate', '.', '--base', 'media'], 'after --base'],
    [['import', '.', '--from', 'images.example.com'], 'after --from'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await darkroom(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test.each([
  ['slashes', (n: number) => '/'.repeat(n)],
  ['hosts', (n: number) => '//res.cloudinary.com'.repeat(n / 20)],
  ['dots', (n: number) => `${C}/image/upload/${'.'.repeat(n)}`],
  ['entities', (n: number) => `${C}/image/upload/${'&#0'.repeat(n / 3)}`],
  ['escapes', (n: number) => `${C}/image/upload/${'\\/'.repeat(n / 2)}`],
])('the time to find URLs is linear in %s', (_what, make) => {
  let growth = Number.POSITIVE_INFINITY;
  const find = (written: string) => findUrls(written, { cloud: undefined, host: undefined });
  for (let n = 0; n < 5 && growth > 9; n++) growth = Math.min(growth, growthOf(make, find));
  expect(growth).toBeLessThanOrEqual(9);
});
