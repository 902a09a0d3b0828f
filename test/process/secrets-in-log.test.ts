import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign, signImgproxy } from '../../src/auth/signature.ts';
import { ask, fixture } from '../http.ts';
import { TEST_KEY } from '../service.ts';
import { metadata, TUS } from '../tus.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const IMGPROXY = { key: '943b421c9eb07c83', salt: '520f986b998d' };
const API = pathToFileURL(createRequire(import.meta.url).resolve('@opentelemetry/api'));

/** A provider for OpenTelemetry that prints every span, instead of an SDK. */
const TRACING = `
import api from ${JSON.stringify(API.href)};
const print = (what) => process.stdout.write(JSON.stringify({ msg: 'span', what }) + '\\n');
const span = { setAttributes: print, setStatus: print, end() {} };
const tracer = {
  startSpan(name, options) { print({ name, options }); return span; },
  startActiveSpan(name, options, ...more) { print({ name, options }); return more.at(-1)(span); },
};
api.trace.setGlobalTracerProvider({ getTracer: () => tracer });
`;

let data: string;
let service: ServiceProcess;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-log-'));
  await writeFile(join(data, 'tracing.mjs'), TRACING);
  service = await startServiceProcess({
    DATA_DIR: join(data, 'data'),
    LOG_REQUESTS: 'all',
    API_KEY: TEST_KEY,
    API_SECRET: SECRET,
    COMPAT: 'cloudinary,imgproxy',
    IMGPROXY_KEY: IMGPROXY.key,
    IMGPROXY_SALT: IMGPROXY.salt,
    TRACING_MODULE: join(data, 'tracing.mjs'),
  });
  const body = new FormData();
  body.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), 'alpha.png');
  await fetch(`${service.url}/upload`, { method: 'POST', headers: key, body });
});
afterAll(async () => {
  await service.end('SIGKILL');
  await rm(data, { recursive: true });
});

const key = { 'x-api-key': TEST_KEY };

interface Line {
  msg: string;
  reqId: string;
  url: string;
  status: number;
}

function lines(): Line[] {
  const whole = service.stdout().slice(0, service.stdout().lastIndexOf('\n'));
  return whole.split('\n').flatMap((line): Line[] => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

let visits = 0;

/**
 * Requests each URL and waits for all log lines.
 * @returns the statuses, and the log
 */
async function visit(urls: readonly string[], method = 'GET', headers: Record<string, string> = {}) {
  const id = `visit-${++visits}`;
  const statuses: number[] = [];
  for (const url of urls) {
    const answer = await ask(service.url, url, { method, headers: { ...headers, 'x-request-id': id } });
    statuses.push(answer.status);
  }
  const logged = () => lines().filter(({ msg, reqId }) => msg === 'request' && reqId === id);
  await expect.poll(() => logged().length).toBe(urls.length);
  return { statuses, urls: logged().map(({ url }) => url) };
}

const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');
const encodedFirst = (text: string) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`;

/** Expects neither log lines nor spans to contain it, in any encoding of its first character. */
function expectHidden(secret: string): void {
  expect(secret.length).toBeGreaterThan(15);
  expect(service.stdout()).not.toContain(secret.slice(1, 16));
  expect(service.stderr()).not.toContain(secret.slice(1, 16));
}

describe('no line of the log and no span has', () => {
  test('the signature of a delivery URL or a status, whatever the answer', async () => {
    for (const [text, expires] of [
      ['w_50,f_png/alpha.png', ''],
      ['w_50,f_png/missing.png', ''],
      ['w_51,f_png/alpha.png', '--1000000000'],
      ['w_0/alpha.png', ''],
    ]) {
      const signature = hmac(expires ? `${expires.slice(2)}:${text}` : String(text));
      for (const prefix of ['', '/api', '/v1']) {
        const { urls } = await visit([
          `${prefix}/authenticated/s--${signature}${expires}/${text}`,
          `${prefix}/authenticated/s--${signature}${expires}/${text}`,
          `${prefix}/authenticated/s--${signature.slice(0, 20)}/${text}`,
          `${prefix}/authenticated/%73%2d-${encodedFirst(signature)}/${text}`,
          `${prefix}/authenticated/${signature}/${text}`,
          `${prefix}/video-status/s--${signature}${expires}/${text}`,
          `${prefix}/video-status/S--${signature}/${text}/size`,
          `${prefix}/t/s--${signature}/${text}`,
          `${prefix}/t/../authenticated/s--${signature}/${text}`,
        ]);
        for (const url of urls) expect(url).toContain('***');
      }
      expectHidden(signature);
    }
    expect(lines().filter(({ msg }) => msg === 'span').length).toBeGreaterThan(0);
  });

  test("the signature of a URL of imgproxy, or of one of Cloudinary's", async () => {
    const rest = '/rs:fit:40/plain/local:///alpha.png@png';
    const signature = signImgproxy(rest, IMGPROXY);
    const { statuses } = await visit([
      `/${signature}${rest}`,
      `/${signature}${rest}`,
      `/api/${signature}${rest}`,
      `/${signature}/rs:fit:41/plain/local:///alpha.png`,
      `/${encodedFirst(signature)}${rest}`,
      `/${signature}`,
    ]);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 401]);
    expectHidden(signature);
    const cloudinary = 'Ab_cd-12Ab_cd-12Ab_cd-12Ab_cd-12';
    await visit([
      `/demo/image/upload/s--${cloudinary}--/w_40/alpha.png`,
      `/image/upload/s--${cloudinary}--/missing.png`,
      `/api/image/upload/%73--${cloudinary}--/alpha.png`,
    ]);
    expectHidden(cloudinary);
  });

  test('the ticket of a download', async () => {
    const headers = { ...key, 'content-type': 'application/json' };
    const body = JSON.stringify({ paths: ['alpha.png'] });
    const { url } = (await ask(service.url, '/download-zip/ticket', { method: 'POST', headers, body })).json();
    const ticket = String(url).replace('/download-zip/', '');
    const { statuses } = await visit([
      `/download-zip/${ticket}/`,
      `/download%2Dzip/${encodedFirst(ticket)}x`,
      String(url),
      `/api${url}`,
    ]);
    expect(statuses.slice(2)).toEqual([200, 404]);
    expectHidden(ticket);
  });

  test('the id of a resumable upload', async () => {
    const expires = String(Math.floor(Date.now() / 1000) + 60);
    const fields = { filename: 'x.png', folder: 'in', expires, signature: sign(`in:${expires}`, SECRET) };
    const headers = { ...TUS, 'upload-length': '5', 'upload-metadata': metadata(fields) };
    const begun = await ask(service.url, '/upload/resumable', { method: 'POST', headers });
    const id = String(begun.headers.location).replace('resumable/', '');
    const paths = [`/upload/resumable/${id}`, `/api/upload/resumable/${id}`, `/%75pload/resumable/${encodedFirst(id)}`];
    const { statuses } = await visit(paths, 'HEAD', TUS);
    expect([begun.status, ...statuses.slice(0, 2)]).toEqual([201, 200, 200]);
    await visit([...paths, `/upload/resumable/${id}/x`], 'PATCH');
    expectHidden(id);
  });
});
