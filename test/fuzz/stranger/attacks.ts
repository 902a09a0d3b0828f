import { forge } from './forger.ts';
import { presignedBrowser } from './presigned-browser.ts';
import { reserveRoom } from './reserver.ts';
import { paintTexts } from './text-painter.ts';
import { open, pause, repeat, send, type Target, write } from './wire.ts';

/** Files of the service known to an anonymous client: they are on its pages. */
export const PHOTO = 'photo.jpg';
export const VIDEO = 'clip.mp4';
export const FOLDER = 'gallery';

const KILOBYTE = 1024;
const MEGABYTE = KILOBYTE * KILOBYTE;
const BOUNDARY = 'stranger';

const WRONG_SIGNATURE = '/authenticated/s--0123456789abcdef';
const row = (unit: string, length = 15_500) => unit.repeat(Math.floor(length / unit.length));

/** Rejected signatures, each as long as a request line allows, with the longest transformation that is read. */
const LONG_SIGNATURES: readonly string[] = [
  `/authenticated/s--${row('-')}`,
  `${WRONG_SIGNATURE}/${row('_')}/a.mp4`,
  `${WRONG_SIGNATURE}/${row('_', 8000)}/a.mp4`,
  `${WRONG_SIGNATURE}/${row('%5F', 8000)}/a.mp4`,
  `${WRONG_SIGNATURE}/${row('w_1,', 8000)}/a.mp4`,
  `${WRONG_SIGNATURE}/w_1${row('~l_a,w_1', 8000)}/a.jpg`,
  `${WRONG_SIGNATURE}--1/${row('_')}/a.mp4`,
  `/video-status/s--0123456789abcdef/${row('_')}/a.mp4`,
];

/** Runs until the signal of its target aborts, or until nothing is left to send. */
export type Attack = (target: Target) => Promise<void>;

/**
 * Runs separately, one after another. Attacks that the rate limit counts alternate with others, so that each has most
 * of a window for itself.
 */
export const waves: Readonly<Record<string, Attack>> = {
  'large images': (target) =>
    repeat(target, { lines: 95, times: 2000 }, async (n) => {
      const format = ['avif', 'webp', 'png'][n % 3];
      await send(target, { path: `/t/w_${8192 - (n % 4000)},h_5900,f_${format}/${PHOTO}` });
      await pause(target, 500);
    }),

  'sign-ins': (target) =>
    repeat(target, { lines: 180, times: 50_000 }, async (n) => {
      const body = JSON.stringify({ email: `user${n % 500}@example.com`, password: 'a guess of someone' });
      await send(target, { ...JSON_POST, path: '/api/auth/sign-in/email', body });
    }),

  /** Leaked signatures, presented for other purposes. */
  'forged signatures': forge,

  'deep and malformed bodies': (target) =>
    repeat(target, { lines: 8, times: 50_000 }, async (n) => {
      const deep = '['.repeat(50_000) + ']'.repeat(50_000);
      const wrong = JSON.stringify({ email: Array.from({ length: 100_000 }, () => 1), password: [] });
      await send(target, { ...JSON_POST, path: '/api/auth/sign-in/email', body: n % 2 === 0 ? deep : wrong });
    }),

  transcodes: (target) =>
    repeat(target, { lines: 20, times: 2000 }, async (n) => {
      const format = n % 2 === 0 ? 'webm' : 'mp4';
      await send(target, { path: `/t/w_${8192 - (n % 8000)},h_${6100 - (n % 3) * 2000},f_${format}/${VIDEO}` });
      await pause(target, 300);
    }),

  /** Resumable uploads that begin and make no progress. */
  'reserved uploads': reserveRoom,

  /** Bodies that continue after their request was rejected. */
  'endless bodies': (target) =>
    repeat(target, { lines: 20, times: 5000 }, async () => {
      const socket = open(target).resume();
      await write(socket, 'POST /download-zip HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n');
      await write(socket, `Content-Length: ${100 * MEGABYTE}\r\n\r\n`);
      const chunk = Buffer.alloc(64 * KILOBYTE, ' ');
      for (let sent = 0; sent < 100 * MEGABYTE && (await write(socket, chunk)); sent += chunk.length);
      socket.destroy();
    }),

  'presigned browser': presignedBrowser,

  'requests without a limit': (target) =>
    repeat(target, { lines: 64, times: 2_000_000 }, (n) =>
      send(target, {
        path: ['/livez', '/readyz', '/api/version', '/api/openapi.json', '/storage', '/nothing'][n % 6] ?? '',
      }),
    ),

  'whole folders': (target) =>
    repeat(target, { lines: 20, times: 5000 }, async () => {
      const socket = open(target).resume();
      await write(socket, `HEAD /download-folder/${FOLDER} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await pause(target, 100);
      socket.destroy();
    }),

  /** Many requests on each connection, and none of the responses is read. */
  pipelining: async (target) => {
    const paths = ['/api/openapi.json', `/t/w_300/${PHOTO}`, `/t/${PHOTO}`];
    const requests = Array.from({ length: 5000 }, (_, n) => `GET ${paths[n % 3]} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
    await repeat(target, { lines: 30, times: 30 }, async () => {
      await write(open(target).pause(), requests);
      await pause(target, 600_000);
    });
  },

  /** Variants that no other client requests, to evict the requested ones from the cache. */
  'cache churn': (target) =>
    repeat(target, { lines: 12, times: 5000 }, async (n) => {
      await send(target, { method: 'HEAD', path: `/t/w_${1500 + (n % 1000)},a_${(n % 89) + 1},f_png/${PHOTO}` });
      await pause(target, 200);
    }),

  'tiny parts': (target) =>
    repeat(target, { lines: 2, times: 200 }, async () => {
      await upload(target, tinyParts(100_000));
      await pause(target, 200);
    }),

  'painted texts': paintTexts(PHOTO),

  /** Files without a signature, as fast as they are accepted. */
  'unsigned uploads': (target) =>
    repeat(target, { lines: 8, times: 500 }, async () => {
      await upload(target, fileParts(48 * MEGABYTE));
      await pause(target, 100);
    }),

  /** Texts that keep a careless regular expression or parser busy, before any signature is checked. */
  'long signatures': (target) =>
    repeat(target, { lines: 8, times: 50_000 }, (n) =>
      send(target, { path: LONG_SIGNATURES[n % LONG_SIGNATURES.length] ?? '' }),
    ),

  /** The same over the maximum number of connections per address. */
  'long signatures on many connections': (target) =>
    repeat(target, { lines: 100, times: 50_000 }, (n) =>
      send(target, { path: LONG_SIGNATURES[n % LONG_SIGNATURES.length] ?? '' }),
    ),
};

/** Cost the attacker nothing, and run all the time. */
export const background: readonly Attack[] = [
  /** Connections that never send anything. */
  (target) =>
    repeat(target, { lines: 300, times: 100_000 }, async () => {
      const socket = open(target).resume();
      await Promise.race([pause(target, 60_000), new Promise((resolve) => socket.once('close', resolve))]);
      socket.destroy();
      await pause(target, 1000);
    }),

  (target) =>
    repeat(target, { lines: 60, times: 10_000 }, async () => {
      const socket = open(target).resume();
      await write(socket, 'GET /queue/events HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.race([pause(target, 60_000), new Promise((resolve) => socket.once('close', resolve))]);
      socket.destroy();
      await pause(target, 5000);
    }),

  /** Uploads that send one byte per second. */
  (target) =>
    repeat(target, { lines: 10, times: 1000 }, async () => {
      await upload(target, slowPart(target));
      await pause(target, 5000);
    }),
];

/** Runs all attacks concurrently. */
export const storm: Attack = async (target) => {
  await Promise.all(Object.values(waves).map((attack) => attack(target)));
};

const JSON_POST = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;

async function upload(target: Target, body: AsyncIterable<Buffer>): Promise<void> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  await send(target, { method: 'POST', path: '/upload', headers, body });
}

const partHead = (name: string) =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`);

async function* fileParts(bytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(256 * KILOBYTE, 7);
  for (let part = 0; part < 8; part++) {
    yield partHead(`${part}.jpg`);
    for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
    yield Buffer.from('\r\n');
  }
}

async function* tinyParts(count: number): AsyncGenerator<Buffer> {
  const parts = Buffer.concat(Array.from({ length: 100 }, (_, n) => Buffer.concat([partHead(`${n}.jpg`), CRLF])));
  for (let sent = 0; sent < count; sent += 100) yield parts;
}

const CRLF = Buffer.from('\r\n');

async function* slowPart(target: Target): AsyncGenerator<Buffer> {
  yield partHead('slow.jpg');
  for (let sent = 0; sent < 3600 && !target.signal.aborted; sent++) {
    yield Buffer.from('x');
    await pause(target, 1000);
  }
}
