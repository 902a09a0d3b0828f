import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createProxy, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { freePort } from '../ports.ts';
import { COMPILED } from '../processes.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { ROOT } from '../source-files.ts';

const MAIN = join(ROOT, 'packages', 'client', 'src', 'cli', 'main.ts');
const API_SECRET = 'a-secret-for-signed-urls-of-the-command-line';
const MEGABYTE = 1024 * 1024;

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startService({ API_SECRET });
  folder = await mkdtemp(join(tmpdir(), 'darkroom-cli-'));
});
afterAll(async () => {
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

/** Returns an image made unique by its trailing bytes. */
const picture = (mark: string) => Buffer.concat([fixture('flag-alpha.png'), Buffer.from(mark)]);

/** Writes files in the folder of the test. */
async function write(files: Record<string, Buffer | string>): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}

/** Returns the paths of all files in a folder of the library. */
async function stored(path: string): Promise<string[]> {
  const query = new URLSearchParams({ path, recursive: 'true' });
  const answer = (await (await service.authorized(`/storage?${query}`)).json()) as { files: { path: string }[] };
  return answer.files.map(({ path: one }) => one).sort();
}

/** Creates a key with some permissions. */
async function keyWith(...permissions: string[]): Promise<string> {
  const { code, stdout } = await darkroom(['keys', 'create', '--permissions', permissions.join(',')]);
  expect(code).toBe(0);
  return stdout.trim();
}

const lines = (output: string) => output.split('\n').filter((line) => line !== '');

describe('darkroom upload', () => {
  test('sends a folder with all that is in it under its names, and says where each file is', async () => {
    const names = ['a.png', 'rome/größe 1+2, (a)&b~.png', 'rome/forum/it\'s "new".png', 'rome/日本.png'];
    await write(
      Object.fromEntries([...names, '.hidden.png', 'e\u0301.png'].map((name) => [`album/${name}`, picture(name)])),
    );
    await symlink('a.png', join(folder, 'album', 'link.png'));
    const { code, stdout, stderr } = await darkroom(['upload', 'album', '--folder', 'trips']);
    expect([code, stderr]).toEqual([0, '5 new, 0 the same, 0 failed.\n']);
    const paths = [...names, '\u00e9.png'].map((name) => `trips/album/${name}`);
    expect(await stored('trips')).toEqual([...paths].sort());
    const told = new Map(lines(stdout).map((line) => line.split('\t') as [string, string]));
    expect([...told.keys()].sort()).toEqual([...paths].sort());
    for (const name of names) {
      const answer = await fetch(told.get(`trips/album/${name}`) ?? '');
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture(name));
    }
  });

  test('leaves out what is there when it is told to, and else gives it a number', async () => {
    await write({ 'once.png': picture('once') });
    expect(await darkroom(['upload', 'once.png', '--folder', 'once'])).toMatchObject({ code: 0 });
    const skipped = await darkroom(['upload', 'once.png', '--folder', 'once', '--existing', 'skip']);
    expect(skipped).toEqual({ code: 0, stdout: '', stderr: '0 new, 1 the same, 0 failed.\n' });
    const again = await darkroom(['upload', 'once.png', '--folder', 'once']);
    expect(again.stdout).toBe(`once/once (1).png\t${service.url}/t/once/once%20(1).png\n`);
    const refused = await darkroom(['upload', 'once.png', '--folder', 'once', '--existing', 'error']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('(name_taken)')]);
  });

  test('sends the good files among bad ones, names the others with the words of the service, and ends with 1', async () => {
    await write({
      'mixed/a.png': picture('a'),
      'mixed/b.txt': 'no picture',
      'mixed/c.png': 'no picture',
      'mixed/d.png': picture('d'),
    });
    const { code, stdout, stderr } = await darkroom(['upload', 'mixed']);
    expect([code, await stored('mixed')]).toEqual([1, ['mixed/a.png', 'mixed/d.png']]);
    expect(lines(stdout).map((line) => line.split('\t')[0])).toEqual(['mixed/a.png', 'mixed/d.png']);
    expect(lines(stderr)).toEqual([
      'mixed/b.txt: Files of this type are not accepted: "b.txt". (unsupported_type)',
      'mixed/c.png: Expected image/png because of the name "c.png", received bytes of no accepted type. (type_mismatch)',
      '2 new, 0 the same, 2 failed.',
    ]);
    const told = await darkroom(['upload', 'mixed', '--existing', 'skip', '--json']);
    const objects = lines(told.stdout).map((line) => JSON.parse(line));
    expect(objects.map(({ file, status }) => [file, status])).toEqual([
      ['mixed/a.png', 'same'],
      ['mixed/b.txt', 'failed'],
      ['mixed/c.png', 'failed'],
      ['mixed/d.png', 'same'],
    ]);
  });

  test('goes on with a large file where the line broke off', async () => {
    await write({ 'large.png': Buffer.concat([fixture('flag-alpha.png'), Buffer.alloc(17 * MEGABYTE)]) });
    const offsets: number[] = [];
    const line = await cutOnce(5 * MEGABYTE, (offset) => offsets.push(offset));
    const { code, stderr } = await darkroom(['upload', 'large.png', '--url', urlOf(line)]);
    line.close();
    expect([code, stderr]).toEqual([0, '1 new, 0 the same, 0 failed.\n']);
    expect(offsets).toEqual([0, expect.any(Number)]);
    expect(offsets[1]).toBeGreaterThan(MEGABYTE);
    const original = await (await fetch(`${service.url}/t/large.png`)).arrayBuffer();
    expect(original.byteLength).toBe(fixture('flag-alpha.png').length + 17 * MEGABYTE);
  });

  test('waits while the service is busy, and gives up where it would have to wait for long', async () => {
    await write({ 'busy.png': picture('busy') });
    const file = { filename: 'busy.png', path: 'busy.png', url: 'https://cdn.example.com/t/busy.png' };
    const busy = { error: 'Too many requests', message: 'The limit is used up.', code: 'rate_limited' };
    const answers = [
      { status: 429, after: '0', body: busy },
      { status: 503, after: '1', body: busy },
      { status: 200, after: '', body: { success: true, files: [file], errors: [] } },
      { status: 429, after: '3600', body: busy },
    ];
    const stub = createServer(async (request: IncomingMessage, response) => {
      await text(request);
      const { status = 500, after = '', body = {} } = answers.shift() ?? {};
      response.writeHead(status, after === '' ? {} : { 'retry-after': after }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(stub, 'listening');
    const first = await darkroom(['upload', 'busy.png', '--url', urlOf(stub)]);
    expect([first.code, first.stdout]).toEqual([0, 'busy.png\thttps://cdn.example.com/t/busy.png\n']);
    const second = await darkroom(['upload', 'busy.png', '--url', urlOf(stub)]);
    stub.close();
    expect([second.code, lines(second.stderr)[0]]).toEqual([1, 'busy.png: The limit is used up. (rate_limited)']);
    expect(answers).toEqual([]);
  });
});

describe('darkroom sync', () => {
  test('sends what is not there, sends nothing the second time, and deletes nothing', async () => {
    await write({ 'site/a.png': picture('a'), 'site/logos/100% #1.png': picture('b') });
    const first = await darkroom(['sync', 'site', '/media/site/']);
    expect([first.code, first.stderr]).toEqual([0, '2 new, 0 the same, 0 failed.\n']);
    expect(await stored('media')).toEqual(['media/site/a.png', 'media/site/logos/100 1.png']);
    const second = await darkroom(['sync', 'site', 'media/site']);
    expect(second).toEqual({ code: 0, stdout: '', stderr: '0 new, 2 the same, 0 failed.\n' });

    await rm(join(folder, 'site', 'logos'), { recursive: true });
    await write({ 'site/a.png': picture('another'), 'site/c.txt': 'no picture' });
    const third = await darkroom(['sync', 'site', 'media/site']);
    expect([third.code, lines(third.stderr).at(-1)]).toEqual([1, '1 new, 0 the same, 1 failed.']);
    expect(await stored('media')).toEqual(['media/site/a (1).png', 'media/site/a.png', 'media/site/logos/100 1.png']);
  });

  test('sends no bytes of files that the library has described', async () => {
    const names = ['a.png', 'b/ä.png'];
    await write(Object.fromEntries(names.map((name) => [`known/${name}`, picture(name)])));
    expect(await darkroom(['sync', 'known', 'known'])).toMatchObject({ code: 0 });
    const undescribed = async () => {
      const answer = await service.authorized('/assets?folder=known&recursive=true');
      const { assets } = (await answer.json()) as { assets: { sha256: string | null }[] };
      return assets.filter(({ sha256 }) => sha256 === null).length;
    };
    service.services.describing?.start();
    await expect.poll(undescribed).toBe(0);
    const reader = { DARKROOM_KEY: await keyWith('read') };
    const { code, stderr } = await darkroom(['sync', 'known', 'known'], reader);
    expect([code, stderr]).toEqual([0, '0 new, 2 the same, 0 failed.\n']);
    await write({ 'known/c.png': picture('c') });
    const refused = await darkroom(['sync', 'known', 'known'], reader);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the permission "upload"')]);
    // A key without `read` sends all, and the service compares.
    const blind = await darkroom(['sync', 'known', 'known'], { DARKROOM_KEY: await keyWith('upload') });
    expect([blind.code, blind.stderr]).toEqual([0, '1 new, 2 the same, 0 failed.\n']);
  });
});

describe('darkroom sign', () => {
  const secret = { DARKROOM_SECRET: API_SECRET };

  test('prints a URL that the service takes, until it ends', async () => {
    await service.upload({ 'my, plan.png': fixture('flag-alpha.png') });
    const { code, stdout } = await darkroom(['sign', 'my, plan.png', 'w_20,f_webp', '--expires', '1h'], secret);
    expect(code).toBe(0);
    const answer = await fetch(stdout.trim());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const expires = Number(/s--[0-9a-f]{64}--(\d+)\//.exec(stdout)?.[1]);
    expect(Math.abs(expires - Date.now() / 1000 - 3600)).toBeLessThan(600);
    expect((await fetch(stdout.trim().replace('w_20', 'w_21'))).status).toBe(401);
  });

  test('signs originals, up to a date, and without a service', async () => {
    const settings = { ...secret, DARKROOM_URL: '', DARKROOM_KEY: '' };
    const { stdout } = await darkroom(['sign', 'my, plan.png', '--expires', '2099-01-01'], settings);
    expect(stdout).toMatch(/^\/authenticated\/s--[0-9a-f]{64}--4070908800\/my%2C%20plan\.png\n$/);
    expect((await fetch(service.url + stdout.trim())).status).toBe(200);
  });

  test.each([
    [['sign', 'a.png'], {}, 'Expected the API_SECRET of the service in DARKROOM_SECRET.'],
    [['sign', 'a.png', '--expires', 'soon'], secret, 'Expected a time to come after --expires'],
    [['sign', 'a.png', '--expires', '2001-01-01'], secret, 'Expected a time to come after --expires'],
    [['sign', 'uploads:1999999999'], secret, '"path": expected a path that does not end in ":" and digits'],
    [['sign', 'a/../b.png'], secret, '"path": expected the path of a file'],
    [['keys', 'create', '--remaining', 'many'], {}, 'Expected a number of requests after --remaining'],
    [['keys', 'create', '--rate-limit', '60'], {}, 'Expected <requests>/<seconds> after --rate-limit'],
  ])('refuses %j', async (args, settings, message) => {
    const { code, stderr } = await darkroom(args, settings as Record<string, string>);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test('darkroom keys makes a key that may only read, for 90 days, unless told otherwise', async () => {
  const { stderr } = await darkroom(['keys', 'create']);
  const [, ends = ''] = /permissions read, ends (\S+)\.$/m.exec(stderr) ?? [];
  expect(Math.round((Date.parse(ends) - Date.now()) / 86_400_000)).toBe(90);
});

test('darkroom keys makes keys, lists them and ends them', async () => {
  const made = await darkroom([
    'keys',
    'create',
    '--name',
    'of the shop',
    '--permissions',
    'upload,read',
    '--days',
    '30',
    '--remaining',
    '10000',
    '--rate-limit',
    '60/30',
  ]);
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^[A-Za-z0-9]{64}\n$/)]);
  const [, id = ''] = /Id (\S+), permissions read, upload, ends \d{4}-/.exec(made.stderr) ?? [];
  const own = { DARKROOM_KEY: made.stdout.trim() };
  expect((await darkroom(['keys', 'list'])).stdout).toContain(
    `${id}\tof the shop\t${made.stdout.slice(0, 6)}…\tread,upload\tends `,
  );
  const all = lines((await darkroom(['keys', 'list', '--json'])).stdout).map((line) => JSON.parse(line));
  expect(all).toContainEqual(
    expect.objectContaining({
      id,
      name: 'of the shop',
      enabled: true,
      rateLimit: { max: 60, windowSeconds: 30, window: 30 },
    }),
  );
  expect(await darkroom(['keys', 'list'], own)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('missing_permission'),
  });
  expect(await darkroom(['keys', 'revoke', id])).toMatchObject({ code: 0, stderr: `The key ${id} was revoked.\n` });
  expect(await darkroom(['keys', 'revoke', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(api_key_not_found)'),
  });
  expect(await darkroom(['sync', '.', 'nowhere'], own)).toMatchObject({
    code: 1,
    stderr: 'The API key is not valid. (invalid_api_key)\n',
  });
  const unknown = await darkroom(['keys', 'create', '--permissions', 'fly']);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('permissions') });
});

describe('darkroom', () => {
  test('says how it is used, for each command too', async () => {
    const general = await darkroom(['--help']);
    expect([general.code, general.stderr]).toEqual([0, '']);
    for (const command of ['upload', 'sync', 'sign', 'keys', 'translate', 'import', 'mcp']) {
      expect(general.stdout).toContain(`\n  ${command} `);
      const own = await darkroom([command, '--help'], { DARKROOM_URL: '', DARKROOM_KEY: '' });
      expect([own.code, own.stderr, own.stdout]).toEqual([0, '', expect.stringContaining(`darkroom ${command} `)]);
    }
  });

  test.each([
    [[], {}, 'Expected a command, received nothing.'],
    [['uplaod'], {}, 'Expected a command, received "uplaod".'],
    [['upload'], {}, 'Expected files or folders, received nothing.'],
    [['upload', '.'], { DARKROOM_URL: '' }, 'Expected the address of the service in DARKROOM_URL, or as --url.'],
    [['upload', '.'], { DARKROOM_KEY: '' }, 'Expected an API key in DARKROOM_KEY.'],
    [['upload', '.', '--url', 'media'], {}, 'Expected a URL such as https://media.example.com'],
    [
      ['upload', '.', '--existing', 'replace'],
      {},
      'Expected rename, skip or error after --existing, received "replace".',
    ],
    [['upload', '.', '--key', 'a'], {}, "Unknown option '--key'"],
    [['keys', 'revoke'], {}, 'Expected the id of a key after "revoke".'],
    [['mcp'], { DARKROOM_KEY: '' }, 'Expected an API key in DARKROOM_KEY.'],
    [['mcp', 'now'], {}, 'Expected nothing after "mcp".'],
  ])('does not understand %j with %j, and ends with 2', async (args, settings, message) => {
    const { code, stdout, stderr } = await darkroom(args, settings as Record<string, string>);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });

  test('ends with 1 and one line for a wrong key, a service that is away, and a file that is not there', async () => {
    const wrong = await darkroom(['upload', MAIN], { DARKROOM_KEY: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([1, 'The API key is not valid. (invalid_api_key)\n']);
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const away = await darkroom(['upload', MAIN, '--url', nowhere]);
    expect([away.code, away.stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^${nowhere} cannot be reached: .*ECONNREFUSED.*\\n$`)),
    ]);
    const missing = await darkroom(['upload', 'no-such.png']);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^ENOENT.*\n$/)]);
  });
});

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/**
 * Forwards to the service and breaks the connection once, after this many bytes.
 * @param note called when bytes of an upload begin
 */
async function cutOnce(bytes: number, note: (offset: number) => void): Promise<Server> {
  let sent = 0;
  let isCut = false;
  const proxy = createProxy((client) => {
    const upstream = connect(Number(new URL(service.url).port), '127.0.0.1');
    upstream.on('error', () => client.destroy()).pipe(client);
    client.on('error', () => upstream.end()).on('end', () => upstream.end());
    client.on('data', (chunk) => {
      const [, offset] = /^PATCH [\s\S]*?\r\nupload-offset: (\d+)\r\n/i.exec(chunk.toString('latin1')) ?? [];
      if (offset !== undefined) note(Number(offset));
      sent += chunk.length;
      upstream.write(chunk);
      if (isCut || sent < bytes) return;
      isCut = true;
      upstream.end();
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}
