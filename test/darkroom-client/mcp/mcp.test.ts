import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fixture } from '../../http.ts';
import { freePort } from '../../ports.ts';
import { startService, TEST_KEY, type TestService } from '../../service.ts';
import { widthOf } from '../answered.ts';
import { type Client, connect, type Result } from './assistant.ts';

const PNG = fixture('flag-alpha.png');
const TOOLS = ['list_files', 'search_files', 'get_file', 'transform_url', 'upload_url'];

let service: TestService;
/** Source of fetched files. */
let site: Server;
beforeAll(async () => {
  service = await startService({
    API_SECRET: 'a-secret-for-signed-urls-of-an-assistant',
    PRESETS: 'thumb=w_20,h_20',
    MAX_OUTPUT_SIDE: '5000',
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.1',
  });
  await service.upload({ 'red shoe.png': PNG, 'hat.png': PNG }, { folder: 'products' });
  await service.authorized('/assets/products/hat.png', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ alt: 'A straw hat', tags: ['summer'] }),
  });
  site = createServer((_, response) => response.end(PNG)).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  site.closeAllConnections();
  site.close();
  await service.close();
});

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const settings = (more: Record<string, string> = {}) => ({
  DARKROOM_URL: service.url,
  DARKROOM_KEY: TEST_KEY,
  ...more,
});
const textOf = ({ content }: Result) => content[0]?.text ?? '';

describe.skipIf('missing' in inject('mcp'))('the official client', () => {
  let client: Client;
  beforeAll(async () => {
    client = await connect('auto', settings());
  });
  afterAll(() => client.close());

  const call = (name: string, args: object = {}) => client.callTool({ name, arguments: args });

  /** Returns the output of a tool. */
  async function told(name: string, args: object = {}): Promise<Record<string, unknown>> {
    const result = await call(name, args);
    expect([result.isError, result.content[0]?.type], textOf(result)).toEqual([undefined, 'text']);
    return JSON.parse(textOf(result));
  }

  /** Returns the error of a tool. */
  async function refused(name: string, args: object = {}): Promise<string> {
    const result = await call(name, args);
    expect([result.isError, result.content.length]).toEqual([true, 1]);
    return textOf(result);
  }

  test('connects without a handshake, and by one where it knows no other way', async () => {
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const older = await connect('legacy', settings());
    expect(older.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    for (const one of [client, older]) {
      expect(one.getServerVersion()).toMatchObject({
        name: 'darkroom',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
      expect(one.getInstructions()).toContain('list_files');
      expect((await one.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
    }
    expect(await older.ping()).toEqual({});
    const result = await older.callTool({ name: 'list_files', arguments: { folder: 'products' } });
    expect(textOf(result)).toContain('A straw hat');
    await older.close();
  });

  test('lists five tools, which say what they take and that they destroy nothing', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { name, title, description, annotations, inputSchema } of tools) {
      expect([title.length > 5, description.length > 50, inputSchema.type]).toEqual([true, true, 'object']);
      expect([annotations.readOnlyHint, annotations.destructiveHint]).toEqual([name !== 'upload_url', false]);
    }
    // The options with the limits of this service.
    const options = tools[3]?.inputSchema.properties.options?.properties ?? {};
    expect(options.width).toMatchObject({ description: 'a whole number of pixels from 1 to 5000' });
    expect(Object.keys(options)).toEqual(
      expect.arrayContaining(['crop', 'gravity', 'format', 'startOffset', 'layers']),
    );
    expect(JSON.stringify(tools).length).toBeLessThan(16_000);
  });

  test('lists a folder page by page', async () => {
    expect((await told('list_files')).folders).toContain('products');
    const first = await told('list_files', { folder: 'products', limit: 1 });
    const url = `${service.url}/t/products/hat.png`;
    expect(first).toMatchObject({
      files: [{ path: 'products/hat.png', kind: 'image', size: PNG.length, alt: 'A straw hat', tags: ['summer'], url }],
      total: 2,
    });
    const second = await told('list_files', { folder: 'products', limit: 1, cursor: first.nextCursor });
    expect(second).toMatchObject({ files: [{ path: 'products/red shoe.png' }] });
    expect(second.nextCursor).toBeUndefined();
  });

  test('searches by words and by what files are', async () => {
    expect(await told('search_files', { query: 'straw' })).toMatchObject({
      total: 1,
      files: [{ path: 'products/hat.png' }],
    });
    const untagged = await told('search_files', { folder: 'products', tags: ['-summer'], kind: 'image' });
    expect(untagged).toMatchObject({ total: 1, files: [{ path: 'products/red shoe.png' }] });
    expect(await told('search_files', { query: 'zzzz' })).toEqual({ files: [], total: 0 });
  });

  test('learns what is known of a file, and sees it', async () => {
    const { content } = await call('get_file', { path: 'products/hat.png', preview: true });
    const { width, height } = await sharp(PNG).metadata();
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      path: 'products/hat.png',
      alt: 'A straw hat',
      tags: ['summer'],
      facts: { type: 'image/png', width, height, thumbHash: expect.any(String) },
    });
    expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
    const seen = await sharp(Buffer.from(content[1]?.data ?? '', 'base64')).metadata();
    expect([seen.format, seen.width <= 512, seen.height <= 512]).toEqual(['jpeg', true, true]);
    expect(await refused('get_file', { path: 'products/no-such.png' })).toMatch(/\(\w+_not_found\)$/);
  });

  test('gets URLs that deliver what it asked for', async () => {
    const path = 'products/red shoe.png';
    const layers = [{ text: 'Sale, now', fontSize: 12, gravity: 'south' }];
    const { url, transformation } = await told('transform_url', {
      path,
      options: { width: 40, format: 'webp', layers },
    });
    expect(transformation).toBe('w_40,f_webp~l_text:Sale%2C%20now,fs_12,g_south');
    expect(await widthOf(String(url))).toBe(40);
    expect(await told('transform_url', { path })).toEqual({ url: `${service.url}/t/products/red%20shoe.png` });
    const preset = await told('transform_url', { path, preset: 'thumb', check: true });
    expect(preset).toMatchObject({
      transformation: 'n_thumb',
      checked: { type: 'image/avif', bytes: expect.any(Number) },
    });
    expect(await widthOf(String(preset.url))).toBe(20);
    const signed = await told('transform_url', { path, options: { width: 30 }, expiresIn: 3600 });
    expect(signed).toMatchObject({
      url: expect.stringMatching(`^${service.url}/authenticated/s--`),
      expires: expect.any(Number),
    });
    expect(await widthOf(String(signed.url))).toBe(30);
  });

  test('transform_url signs no path whose signature would admit uploads', async () => {
    for (const more of [{ signed: true }, { expiresIn: 60 }]) {
      expect(await refused('transform_url', { path: 'uploads:1999999999', ...more })).toContain(
        'Expected a path that does not end in',
      );
    }
  });

  test.each([
    [{ options: { width: 9999 } }, '"width": expected a whole number of pixels from 1 to 5000, received 9999.'],
    [{ options: { width: 1.5 } }, '"width": expected a whole number of pixels from 1 to 5000, received 1.5.'],
    [{ options: { width: '40px' } }, '"width": expected a whole number of pixels from 1 to 5000, received "40px".'],
    [{ options: { quality: 'best' } }, '"quality": expected a whole number from 1 to 100, or auto'],
    [{ options: { enlarge: 2 } }, '"enlarge": expected true, false'],
    [{ options: { crop: 'cover' } }, '"crop": expected fill, fit, scale'],
    [{ options: { widht: 40 } }, '"options": expected only page, trim, angle'],
    [{ options: { width: [40] } }, '"width": expected a number, or a text, or true or false, received [40].'],
    [
      { options: { layers: [{ text: 'a', fontSize: 1 }] } },
      '"fontSize": expected a whole number from 4 to 512, received 1.',
    ],
    [{ options: { layers: [{ text: 'a', size: 10 }] } }, '"size": expected an option that exists'],
    [{ preset: 'hero' }, '"preset": expected thumb, received "hero".'],
    [{ preset: 'thumb', options: {} }, 'Expected "options" or "preset", received both.'],
    [{ path: 'a/../b.png' }, '"path": expected the path of a file'],
    [{ path: 'products/none.png', options: { width: 40 }, check: true }, '(file_not_found)'],
    [{ options: { region: 'all of it' }, check: true }, '(file_not_found)'],
  ])('is told what is wrong with %j', async (args, message) => {
    expect(await refused('transform_url', { path: 'products/hat.png', ...args })).toContain(message);
  });

  test('takes every value that the reference shows', async () => {
    const options = {
      angle: 'hflip.90',
      gravity: 'fp:0.3:0.7',
      background: 'auto',
      padding: '1:2',
      radius: 'max',
      blur: true,
    };
    for (const more of [{ quality: 'auto' }, { angle: -90, format: 'jpg' }, { zoom: 'auto', gravity: 'face' }]) {
      const { url } = await told('transform_url', {
        path: 'products/hat.png',
        options: { width: 20, height: 20, ...options, ...more },
      });
      expect(await widthOf(String(url))).toBeGreaterThan(0);
    }
  });

  test('stores a file from a URL once', async () => {
    const url = `${urlOf(site)}/scarf.png`;
    const path = 'winter/scarf.png';
    const stored = { path, size: PNG.length, url: `${service.url}/t/${path}` };
    expect(await told('upload_url', { url, folder: 'winter' })).toEqual({ ...stored, status: 'stored' });
    expect(await told('upload_url', { url, folder: 'winter' })).toEqual({ ...stored, status: 'was there already' });
    expect(await refused('upload_url', { url, folder: 'winter', existing: 'error' })).toContain('(name_taken)');
    expect(await refused('upload_url', { url: 'http://169.254.1.1/a.png' })).toContain('(url_not_public)');
    expect(await refused('upload_url', {})).toBe('"arguments": expected "url" in it.');
    expect(await refused('upload_url', { url, existing: 'replace' })).toContain('expected one of skip, rename, error');
  });

  test('is told of a tool that there is not, as of a request that is wrong', async () => {
    await expect(call('delete_file', { path: 'products/hat.png' })).rejects.toMatchObject({ code: -32_602 });
  });

  test('may cancel a call, and goes on', async () => {
    const controller = new AbortController();
    const cancelled = client.callTool({ name: 'list_files', arguments: {} }, { signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toThrow();
    expect(await told('list_files', { folder: 'products' })).toMatchObject({ total: 2 });
  });

  test('sees the tools of a service that is away, or that does not know the key, and the reason when it calls one', async () => {
    const away = await connect('legacy', settings({ DARKROOM_URL: `http://127.0.0.1:${await freePort()}` }));
    const { tools } = await away.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    expect(tools[3]?.inputSchema.properties.options?.properties).toHaveProperty('width');
    const unreached = await away.callTool({ name: 'list_files', arguments: {} });
    expect([unreached.isError, textOf(unreached)]).toEqual([true, expect.stringContaining('cannot be reached')]);
    await away.close();
    const wrong = await connect('legacy', settings({ DARKROOM_KEY: 'wrong' }));
    const unknown = await wrong.callTool({ name: 'list_files', arguments: {} });
    expect([unknown.isError, textOf(unknown)]).toEqual([true, 'The API key is not valid. (invalid_api_key)']);
    await wrong.close();
  });
});
