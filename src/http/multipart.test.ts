import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpProblem } from '../errors.ts';
import { type MultipartLimits, receiveForm } from './multipart.ts';

const BEGUN = '--x\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\nbytes';
const MEGABYTE = 1024 * 1024;

let temp: string;
beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'darkroom-form-'));
});
afterAll(() => rm(temp, { recursive: true }));

/** A server that says what became of a form. */
async function serve(limits: Partial<MultipartLimits>) {
  const all = {
    temp,
    maxFileBytes: 9 * MEGABYTE,
    maxRequestBytes: 9 * MEGABYTE,
    maxFiles: 9,
    idleMs: 60_000,
    ...limits,
  };
  const server = http.createServer(async (request, response) => {
    const outcome = await receiveForm(request, all).then(
      ({ files }) => `${files.length} files`,
      (error) => (error instanceof HttpProblem ? `${error.status}` : error.code),
    );
    response.setHeader('Connection', 'close').end(outcome);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function send(server: http.Server, length: number): http.ClientRequest {
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': length };
  const { port } = server.address() as AddressInfo;
  return http.request({ host: '127.0.0.1', port, method: 'POST', headers });
}

async function answerTo(request: http.ClientRequest): Promise<string> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return text(response);
}

test('a client that stops sending hears 408, and its half file is removed', async () => {
  const server = await serve({ idleMs: 50 });
  const request = send(server, MEGABYTE);
  request.write(BEGUN);
  expect(await answerTo(request)).toBe('408');
  expect(await readdir(temp)).toEqual([]);
  server.close();
});

test('a file that cannot be saved fails the form as soon as it is sent, however large it is', async () => {
  const server = await serve({ temp: join(temp, 'missing') });
  const rest = Buffer.alloc(8 * MEGABYTE);
  const request = send(server, BEGUN.length + rest.length);
  request.write(BEGUN);
  request.end(rest);
  expect(await answerTo(request)).toBe('ENOENT');
  server.close();
});

test('the texts of a form may not be as large as its files, however many they are', async () => {
  const server = await serve({});
  const field = `--x\r\nContent-Disposition: form-data; name="names"\r\n\r\n${'n'.repeat(60_000)}\r\n`;
  const form = (count: number) => `${field.repeat(count)}--x--\r\n`;
  const outcome = (body: string) => answerTo(send(server, body.length).end(body));
  expect(await outcome(form(30))).toBe('0 files');
  expect(await outcome(form(40))).toBe('400');
  server.close();
});
