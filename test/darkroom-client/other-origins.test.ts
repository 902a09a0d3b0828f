import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApi } from '../../packages/client/src/api.ts';
import { callMcpTool, runDarkroom } from './command-line.ts';
import { type RecordingServer, startRecording } from './recording-server.ts';

const KEY = 'a-key-that-one-server-may-see';
const LARGE_BYTES = 16 * 1024 * 1024;
const LISTING = { path: '', folders: [], files: [], nextCursor: null };

/** The configured service. */
let service: RecordingServer;
/** A host that the service names. */
let stranger: RecordingServer;
let folder: string;

beforeAll(async () => {
  service = await startRecording();
  stranger = await startRecording();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-origins-'));
  await writeFile(join(folder, 'a.png'), 'bytes');
  await writeFile(join(folder, 'large.png'), Buffer.alloc(LARGE_BYTES));
});
beforeEach(() => {
  for (const server of [service, stranger]) server.received.length = 0;
  stranger.answer(() => ({ body: LISTING }));
});
afterAll(async () => {
  service.close();
  stranger.close();
  await rm(folder, { recursive: true });
});

const settings = (more: Record<string, string> = {}) => ({ DARKROOM_URL: service.url, DARKROOM_KEY: KEY, ...more });
const cli = (...args: string[]) => runDarkroom(args, { cwd: folder, env: settings() });

describe.each([301, 302, 303, 307, 308])('a redirect to another origin with status %i', (status) => {
  beforeEach(() => service.answer(() => ({ status, headers: { location: `${stranger.url}/assets` } })));

  test('is not followed by the library, which says where it leads', async () => {
    const api = createApi({ baseUrl: service.url, apiKey: KEY });
    const told = `The server redirected to ${stranger.url}. Set the URL to that address, if you trust it.`;
    await expect(api.GET('/storage')).rejects.toThrow(told);
    await expect(api.POST('/storage/cache/clear')).rejects.toThrow(told);
    // A caller that follows redirects does not intend to forward the key.
    await expect(api.GET('/storage', { redirect: 'follow' })).rejects.toThrow(told);
    expect(stranger.received).toEqual([]);
  });

  test('is not followed by the command line', async () => {
    for (const args of [
      ['upload', 'a.png'],
      ['sync', '.'],
      ['keys', 'list'],
    ]) {
      const { code, stdout, stderr } = await cli(...args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        `The server redirected to ${stranger.url}. Set the URL to that address, if you trust it.`,
      );
    }
    expect(stranger.received).toEqual([]);
  });

  test('is not followed by the tools for assistants', async () => {
    for (const [name, args] of [
      ['list_files', {}],
      ['get_file', { path: 'a.png', preview: true }],
      ['transform_url', { path: 'a.png', check: true }],
    ] as const) {
      const { result } = await callMcpTool(name, args, settings());
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(stranger.url) }] });
    }
    expect(stranger.received).toEqual([]);
  });
});

describe('a redirect within the origin', () => {
  const redirect = (status: number, target: string) =>
    service.answer(({ url }) => (url === target ? { body: LISTING } : { status, headers: { location: target } }));

  test.each([301, 302, 303, 307, 308])('with status %i is followed with the key, for GET', async (status) => {
    redirect(status, '/elsewhere');
    const { data } = await createApi({ baseUrl: service.url, apiKey: KEY }).GET('/storage');
    expect(data).toEqual(LISTING);
    expect(service.received.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
      ['/storage', KEY],
      ['/elsewhere', KEY],
    ]);
  });

  test.each([307, 308])('with status %i is followed by an upload, which is sent once more', async (status) => {
    service.answer(({ url }) =>
      url === '/upload' ? { status, headers: { location: '/v2/upload' } } : { body: { files: [], errors: [] } },
    );
    await cli('upload', 'a.png');
    const [first, second] = service.received;
    expect([second?.method, second?.url, second?.headers['x-api-key']]).toEqual(['POST', '/v2/upload', KEY]);
    expect(first?.body.includes('bytes')).toBe(true);
    expect(second?.body.includes('bytes')).toBe(true);
  });

  test.each([301, 302, 303])('with status %i is an error for an upload, which would become a GET', async (status) => {
    redirect(status, '/elsewhere');
    const { code, stderr } = await cli('upload', 'a.png');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`redirected a POST to ${service.url}/elsewhere`)]);
    expect(service.received).toHaveLength(1);
  });

  test('is an error for a body that the library cannot send again', async () => {
    redirect(307, '/elsewhere');
    const api = createApi({ baseUrl: service.url, apiKey: KEY });
    const upload = api.POST('/upload', { body: { files: [new File(['bytes'], 'a.png')] } });
    await expect(upload).rejects.toThrow(`redirected a POST to ${service.url}/elsewhere`);
  });

  test('is followed three times and no more', async () => {
    service.answer(({ url }) => ({ status: 302, headers: { location: `${url}x` } }));
    const api = createApi({ baseUrl: service.url, apiKey: KEY });
    await expect(api.GET('/storage')).rejects.toThrow('The server redirected more than 3 times in a row.');
    expect(service.received).toHaveLength(4);
  });

  test.each(['http://', 'javascript:alert(1)', '//user:password@127.0.0.1/'])(
    'is an error when it leads to %s',
    async (location) => {
      service.answer(() => ({ status: 302, headers: { location } }));
      const api = createApi({ baseUrl: service.url, apiKey: KEY });
      await expect(api.GET('/storage')).rejects.toThrow('The server redirected to');
      expect(service.received).toHaveLength(1);
    },
  );
});

test('says of a redirect in a browser, which hides where it leads, that there was one', async () => {
  const hidden = Object.create(Response.error(), { type: { value: 'opaqueredirect' } }) as Response;
  const api = createApi({ baseUrl: service.url, apiKey: KEY, fetch: async () => hidden });
  await expect(api.GET('/storage')).rejects.toThrow('The server redirected the request');
});

describe('an upload that the server places elsewhere', () => {
  test.each([
    ['another origin', () => `${stranger.url}/upload/resumable/1`],
    ['another origin without its scheme', () => `${stranger.url.slice('http:'.length)}/upload/resumable/1`],
    ['no URL', () => 'http://'],
    ['nothing', () => ''],
  ])('is refused: %s', async (_, location) => {
    service.answer(() => ({ status: 201, headers: { location: location() } }));
    const { code, stderr } = await cli('upload', 'large.png');
    expect([code, stderr]).toEqual([1, expect.stringContaining('The server placed the upload at ')]);
    expect([service.received.length, stranger.received]).toEqual([1, []]);
  });

  test.each(['', '0', '-1', 'x', '99999999999'])('ends when the server acknowledges "%s" of it', async (offset) => {
    service.answer(({ method }) =>
      method === 'POST'
        ? { status: 201, headers: { location: '/upload/resumable/1' } }
        : { status: 204, headers: { 'upload-offset': offset } },
    );
    const { code, stderr } = await cli('upload', 'large.png');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Expected an Upload-Offset')]);
    expect(service.received).toHaveLength(2);
  });

  test('is sent within the origin, also when a part of it is redirected there', async () => {
    const stored = { path: 'large.png', url: '/t/large.png', skipped: false };
    service.answer(({ method, url }) => {
      if (method === 'POST') return { status: 201, headers: { location: `${service.url}/upload/resumable/1` } };
      if (url === '/upload/resumable/1') return { status: 307, headers: { location: '2' } };
      if (method === 'PATCH') return { status: 204, headers: { 'upload-offset': String(LARGE_BYTES) } };
      return { body: { files: [stored], errors: [] } };
    });
    const { code, stdout } = await cli('upload', 'large.png');
    expect([code, stdout]).toEqual([0, `large.png\t${service.url}/t/large.png\n`]);
    expect(service.received.map(({ method, url, body }) => [method, url, body.length])).toEqual([
      ['POST', '/upload/resumable', 0],
      ['PATCH', '/upload/resumable/1', LARGE_BYTES],
      ['PATCH', '/upload/resumable/2', LARGE_BYTES],
      ['GET', '/upload/resumable/1', 0],
      ['GET', '/upload/resumable/2', 0],
    ]);
  });
});

describe('a URL that the server names', () => {
  const signedAs = (url: () => string) =>
    service.answer((request) =>
      request.url === '/delivery/sign'
        ? { body: { url: url() } }
        : { headers: { 'content-type': 'image/png', 'content-length': '5' }, body: 'bytes' },
    );

  test('is checked at the configured address, without the key, and given as it is', async () => {
    const url = `${stranger.url}/media/authenticated/s--0--/a.png`;
    signedAs(() => url);
    const { result } = await callMcpTool('transform_url', { path: 'a.png', signed: true, check: true }, settings());
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({
      url,
      checked: { type: 'image/png', bytes: 5 },
    });
    const [, checked] = service.received;
    expect([checked?.url, checked?.headers['x-api-key']]).toEqual(['/authenticated/s--0--/a.png', undefined]);
    expect(stranger.received).toEqual([]);
  });

  test.each(['file:///etc/passwd', 'http://169.254.169.254/latest', 'javascript:alert(1)', '//'])(
    'is refused when it is no signed one: %s',
    async (url) => {
      signedAs(() => url);
      const { result } = await callMcpTool('transform_url', { path: 'a.png', signed: true, check: true }, settings());
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('signed URL') }] });
      expect([service.received.length, stranger.received]).toEqual([1, []]);
    },
  );
});
