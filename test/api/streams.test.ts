import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink, truncate, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';

const SIZE = 24 * 1024 * 1024;
const large = randomBytes(SIZE);

let service: TestService;
beforeAll(async () => {
  service = await startService({ PUBLIC_RATE_LIMIT_MAX: '0' });
});
afterAll(() => service.close());

const file = () => join(service.originals, 'large.mp4');
beforeEach(() => writeFile(file(), large));

/** Returns this process's open descriptors of the large file. */
async function openDescriptors(): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target === file()).length;
}

async function begin(headers: Record<string, string> = {}): Promise<http.IncomingMessage> {
  const request = http.get(`${service.url}/t/large.mp4`, { agent: false, headers });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

describe('a large original', () => {
  test('arrives whole at many readers at once, fast and slow ones', async () => {
    const slowly = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of await begin()) {
        chunks.push(chunk);
        await setImmediate();
      }
      return Buffer.concat(chunks);
    };
    const quickly = async () => buffer(await begin());
    const bodies = await Promise.all([slowly(), quickly(), slowly(), quickly(), quickly()]);
    for (const body of bodies) expect(body.equals(large)).toBe(true);
    const part = await buffer(await begin({ range: `bytes=1000001-${SIZE - 70_001}` }));
    expect(part.equals(large.subarray(1_000_001, SIZE - 70_000))).toBe(true);
    await vi.waitUntil(async () => (await openDescriptors()) === 0, 10_000);
  });

  test('is closed when its reader leaves', async () => {
    const responses = await Promise.all([begin(), begin(), begin({ range: 'bytes=5-' })]);
    expect(await openDescriptors()).toBe(3);
    for (const response of responses) response.destroy();
    await vi.waitUntil(async () => (await openDescriptors()) === 0, 10_000);
  });

  test('is closed when its reader leaves before it has read a byte, also with a second request behind it', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write('GET /t/large.mp4 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await vi.waitUntil(async () => (await openDescriptors()) > 0, 10_000);
    socket.destroy();
    await vi.waitUntil(async () => (await openDescriptors()) === 0, 10_000);
  });

  test('that is shortened while it is sent ends the connection: nobody takes a part for the whole', async () => {
    const response = await begin();
    await truncate(file(), SIZE / 2);
    await expect(buffer(response)).rejects.toThrow('aborted');
  });

  test('that is replaced while it is sent arrives as it was', async () => {
    const { services } = service;
    const response = await begin();
    await services.originals.store.write(
      parsePath('large.mp4'),
      (async function* () {
        yield Buffer.from('other bytes');
      })(),
    );
    services.originals.invalidate();
    expect((await buffer(response)).equals(large)).toBe(true);
    expect((await ask(service.url, '/t/large.mp4')).body.toString()).toBe('other bytes');
  });
});
