import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../ports.ts';

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
