import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fixture } from '../http.ts';
import { freePort } from '../ports.ts';
import { startService, type TestService } from '../service.ts';
import { BYTES, KEY, metadata, TUS } from '../tus.ts';
import { describeWithProgram } from './program.ts';
import { askThrough, caddy, nginx, type RunningProxy, requestThrough, startProxy, VISITORS } from './proxies.ts';

const SITE = 'https://media.example.com';
const ADMIN = { email: 'admin@example.com', password: 'a-long-password' };

let service: TestService;
beforeAll(async () => {
  service = await startService({
    PUBLIC_URL: SITE,
    TRUSTED_PROXIES: '127.0.0.1,::1',
    PUBLIC_RATE_LIMIT_MAX: '6000',
    MAX_FILE_SIZE_MB: '100',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  });
  await service.place('concert.jpg', fixture('concert.jpg'));
  await service.place('films/a b#1.mp4', fixture('schizo_90.mp4'));
});
afterAll(() => service.close());

for (const kind of [nginx, caddy]) {
  await describeWithProgram(
    `${kind.program} with the file of the documentation`,
    kind.program,
    kind.package,
    (file) => {
      let proxy: RunningProxy;
      const ask = (path: string, options?: Parameters<typeof askThrough>[2]) => askThrough(proxy.port, path, options);
      beforeAll(async () => {
        proxy = await startProxy(kind, file, new URL(service.url).host, await freePort());
        const isUp = async () => expect((await ask('/livez')).status, proxy.log()).toBe(200);
        await vi.waitFor(isUp, { timeout: 60_000 });
      });
      afterAll(() => proxy?.close());

      test('delivers with the headers of the service, and 304', async () => {
        const accept = 'image/webp';
        const answer = await ask('/t/w_60/concert.jpg', { headers: { accept } });
        const direct = await fetch(`${service.url}/t/w_60/concert.jpg`, { headers: { accept } });
        for (const name of ['content-type', 'cache-control', 'etag', 'vary', 'last-modified', 'content-length']) {
          expect([name, answer.headers[name]]).toEqual([name, direct.headers.get(name)]);
        }
        expect(answer.headers.vary).toBe('Accept');
        expect(answer.headers.etag).toMatch(/^"/);
        expect(answer.body).toEqual(Buffer.from(await direct.arrayBuffer()));
        const again = await ask('/t/w_60/concert.jpg', {
          headers: { accept, 'if-none-match': answer.headers.etag ?? '' },
        });
        expect([again.status, again.body.length]).toEqual([304, 0]);
      });

      test('leaves paths and queries as they were written, and errors are those of the service', async () => {
        const path = '/t/films/a%20b%231.mp4?v=2';
        expect((await ask(path)).body).toEqual(fixture('schizo_90.mp4'));
        expect((await ask('/t/films%2Fa.mp4')).json().code).toBe('invalid_encoding');
      });

      test('passes ranges on', async () => {
        const { status, headers, body } = await ask('/t/films/a%20b%231.mp4', {
          headers: { range: 'bytes=1000-1999' },
        });
        expect([status, headers['content-range']]).toEqual([206, `bytes 1000-1999/${fixture('schizo_90.mp4').length}`]);
        expect(body).toEqual(fixture('schizo_90.mp4').subarray(1000, 2000));
      });

      test('lets an upload through that is larger than proxies allow by themselves, with the public address in its answer', async () => {
        const size = { width: 2000, height: 2000, channels: 3 as const };
        const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
        const bytes = await sharp({ create: { ...size, background: 'black', noise } })
          .png({ compressionLevel: 0 })
          .toBuffer();
        expect(bytes.length).toBeGreaterThan(10_000_000);
        const form = new FormData();
        form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), `${kind.program}.png`);
        const body = new Response(form);
        const headers = { ...KEY, 'content-type': body.headers.get('content-type') ?? '' };
        const answer = await ask('/upload', {
          method: 'POST',
          headers,
          body: new Uint8Array(await body.arrayBuffer()),
        });
        expect(answer.json().files).toMatchObject([{ url: `${SITE}/t/${kind.program}.png`, size: bytes.length }]);
      });

      test('gives the service the bytes of a resumable upload as they come, and goes on with it', async () => {
        const bytes = fixture('portrait-face.jpg');
        const half = bytes.length >> 1;
        const begun = await ask('/upload/resumable', {
          method: 'POST',
          headers: {
            ...TUS,
            ...KEY,
            'upload-length': String(bytes.length),
            'upload-metadata': metadata({ filename: `${kind.program}.jpg` }),
          },
        });
        expect(begun.status).toBe(201);
        const path = new URL(begun.headers.location ?? '', `${SITE}/upload/resumable`).pathname;
        const headers = { ...TUS, ...KEY, ...BYTES };
        const length = { 'content-length': String(bytes.length), 'upload-offset': '0' };
        const broken = requestThrough(proxy.port, path, { method: 'PATCH', headers: { ...headers, ...length } });
        broken.on('error', () => undefined);
        broken.write(bytes.subarray(0, half));
        // Half of the body must reach the service while the other half is missing, and stay when the connection breaks.
        await expect.poll(bytesOfUploads).toBeGreaterThanOrEqual(half);
        const { headers: progress } = await ask(path, { method: 'HEAD', headers: { ...TUS, ...KEY } });
        expect(progress['upload-offset']).toBe(String(half));
        broken.destroy();
        const rest = { ...headers, 'upload-offset': String(half) };
        expect((await ask(path, { method: 'PATCH', headers: rest, body: bytes.subarray(half) })).status).toBe(204);
        expect((await ask(`/t/${kind.program}.jpg`)).body).toEqual(bytes);
      });

      test('sends events at once', async () => {
        const request = requestThrough(proxy.port, '/queue/events').end();
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        const [first] = (await once(response, 'data')) as [Buffer];
        expect(first.toString()).toContain('event: connected');
        request.destroy();
      });

      test('says who the visitor is, whatever the visitor says', async () => {
        const remaining = async (localAddress: string, headers = {}) =>
          Number((await ask('/health', { localAddress, headers })).headers['x-ratelimit-remaining']);
        const before = await remaining(VISITORS[0]);
        await remaining(VISITORS[1]);
        expect(await remaining(VISITORS[0], { 'x-forwarded-for': '203.0.113.9' })).toBe(before - 1);
      });

      test('says that it was https: the admin signs in and changes something', async () => {
        const json = { 'content-type': 'application/json', origin: SITE };
        const signedIn = await ask('/api/auth/sign-in/email', {
          method: 'POST',
          headers: json,
          body: JSON.stringify(ADMIN),
        });
        const cookie = signedIn.headers['set-cookie']?.[0] ?? '';
        expect([signedIn.status, cookie]).toEqual([200, expect.stringMatching(/; Secure/i)]);
        const headers = { cookie: cookie.split(';')[0] ?? '', origin: SITE };
        expect((await ask('/storage/cache/clear', { method: 'POST', headers })).status).toBe(200);
        const foreign = { ...headers, origin: 'https://other.example.com' };
        expect((await ask('/storage/cache/clear', { method: 'POST', headers: foreign })).status).toBe(403);
      });
    },
  );
}

/** Returns the bytes of unfinished uploads on the service's disk. */
async function bytesOfUploads(): Promise<number> {
  const folder = join(service.data, 'uploads');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
