import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface S3Server {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
}

const ACCESS_KEY_ID = 'AKDARKROOMTEST';
const SECRET_ACCESS_KEY = 'darkroom-test-secret-key';

/** Starts a real S3-compatible server on loopback, with ports of its own. @throws what it takes to have one */
export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-s3-'));
  const [gateway, monitor] = [await freePort(), await freePort(2)];
  const script = fileURLToPath(new URL('./start-server.sh', import.meta.url));
  const server = spawn(script, [folder, String(gateway), String(monitor)], {
    env: { ...process.env, S3_TEST_KEY: ACCESS_KEY_ID, S3_TEST_SECRET: SECRET_ACCESS_KEY },
    // It ends with its standard input, also when this process is killed.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(server, 'close');
  let complaints = '';
  server.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const close = async () => {
    server.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: server.stdout })) {
    if (line !== 'ready') continue;
    const endpoint = `http://127.0.0.1:${gateway}`;
    return { endpoint, accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY, close };
  }
  await close();
  throw new Error(complaints.trim() || 'the server ended before it was ready');
}

/** The first of so many ports in a row; below those that connections get, so that none takes them meanwhile. */
async function freePort(count = 1): Promise<number> {
  for (;;) {
    const first = 10_000 + Math.floor(Math.random() * 20_000);
    const all = Array.from({ length: count }, (_, n) => isFree(first + n));
    if ((await Promise.all(all)).every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false);
  server.listen(port, '127.0.0.1');
  const answer = await free;
  server.close();
  return answer;
}
