import { createHash, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Benchmark } from './tools/benchmark.ts';
import { memoryOf, resetPeak } from './tools/process.ts';
import { median, table, verdict } from './tools/report.ts';
import { type Darkroom, startDarkroom } from './tools/service.ts';

const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
const MEGABYTE = 1024 * 1024;
const ORIGINAL_MB = 200;
const UPLOAD_MB = 45;
const READERS = 10;
const STALL_MS = 3000;
const VIDEO = 'large.mp4';
const TARGET_MB = 40;

interface Growth {
  /** Peak growth of resident memory in MB. */
  peak: number;
  /** Growth at the end in MB. */
  after: number;
}

const scenarios: Readonly<Record<string, (darkroom: Darkroom) => Promise<void>>> = {
  [`${ORIGINAL_MB} MB original, whole`]: readWhole,
  [`${ORIGINAL_MB} MB original, ${READERS} concurrent ranges of 20 MB`]: readRanges,
  [`${ORIGINAL_MB} MB original, ${READERS} readers that stall`]: stall,
  [`upload of ${UPLOAD_MB} MB`]: uploadLarge,
};

export const memory: Benchmark = {
  name: 'memory',
  about: 'memory of the server process for large files',
  async run({ quick }) {
    const rows: [name: string, growths: Growth[]][] = [];
    for (const [name, load] of Object.entries(scenarios)) {
      const growths: Growth[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round++) growths.push(await measure(load));
      rows.push([name, growths]);
    }
    const worst = Math.max(...rows.flatMap(([, growths]) => growths.map(({ peak }) => peak)));
    return [
      'Growth of resident memory of the server process (VmHWM, reset before; VmRSS). A new service for each measurement, after a small',
      'upload, a render and a download. The original is a file of random bytes, read by clients in another process.',
      `Readers that stall read nothing for ${STALL_MS / 1000} s. MB; medians of ${quick ? 1 : 3}, and the highest peak.`,
      '',
      table(
        ['', 'peak growth', 'highest', 'afterwards'],
        rows.map(([name, growths]) => [
          name,
          median(growths.map(({ peak }) => peak)).toFixed(1),
          Math.max(...growths.map(({ peak }) => peak)).toFixed(1),
          median(growths.map(({ after }) => after)).toFixed(1),
        ]),
      ),
      '',
      verdict('highest growth', worst, 'at most', TARGET_MB, ' MB'),
    ].join('\n');
  },
};

async function measure(load: (darkroom: Darkroom) => Promise<void>): Promise<Growth> {
  const darkroom = await startDarkroom();
  try {
    const photo = await readFile(PHOTO);
    await darkroom.upload('photo.jpg', photo);
    for (const path of ['w_300/photo.jpg', 'w_300/photo.jpg', 'photo.jpg']) {
      await drain(await fetch(`${darkroom.url}/t/${path}`));
    }
    await writeOriginal(join(darkroom.originals, VIDEO));
    await wait(500);
    resetPeak(darkroom.pid);
    const before = memoryOf(darkroom.pid).now;
    await load(darkroom);
    const { now, peak } = memoryOf(darkroom.pid);
    return { peak: peak - before, after: now - before };
  } finally {
    await darkroom.stop();
  }
}

async function writeOriginal(file: string): Promise<void> {
  await using handle = await open(file, 'w');
  for (let written = 0; written < ORIGINAL_MB; written++) await handle.write(randomBytes(MEGABYTE));
}

async function readWhole({ url, originals }: Darkroom): Promise<void> {
  const received = await drain(await fetch(`${url}/t/${VIDEO}`));
  await using handle = await open(join(originals, VIDEO));
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream()) hash.update(chunk);
  if (received.hash !== hash.digest('hex')) throw new Error('The response is not the original.');
}

async function readRanges({ url }: Darkroom): Promise<void> {
  const length = (ORIGINAL_MB / READERS) * MEGABYTE;
  const answers = Array.from({ length: READERS }, async (_, index) => {
    const range = `bytes=${index * length}-${(index + 1) * length - 1}`;
    const response = await fetch(`${url}/t/${VIDEO}`, { headers: { range } });
    const { size } = await drain(response);
    if (response.status !== 206 || size !== length) throw new Error(`Expected 206, received ${response.status}.`);
  });
  await Promise.all(answers);
}

/** Readers that send a request and then read nothing from their sockets. */
async function stall({ url }: Darkroom): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let reader = 0; reader < READERS; reader++) {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(`GET /t/${VIDEO} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    sockets.push(socket);
  }
  await wait(STALL_MS);
  for (const socket of sockets) socket.destroy();
}

/** A JPEG with padding after its end. */
async function uploadLarge(darkroom: Darkroom): Promise<void> {
  const photo = await readFile(PHOTO);
  await darkroom.upload('large.jpg', Buffer.concat([photo, randomBytes(UPLOAD_MB * MEGABYTE - photo.length)]));
}

async function drain(response: Response): Promise<{ size: number; hash: string }> {
  if (!response.ok || !response.body) throw new Error(`Expected a body, received ${response.status}.`);
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    hash.update(chunk);
  }
  return { size, hash: hash.digest('hex') };
}
