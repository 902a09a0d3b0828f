import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { startScript } from '../script-server.ts';

export interface S3Server {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
}

const ACCESS_KEY_ID = 'AKDARKROOMTEST';
const SECRET_ACCESS_KEY = 'darkroom-test-secret-key';

/**
 * Starts a real S3-compatible server on loopback, with its own ports.
 * @throws Error that names the requirements
 */
export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-s3-'));
  const gateway = await freePort();
  const monitor = await freePort(2);
  const script = new URL('./start-server.sh', import.meta.url);
  const environment = { S3_TEST_KEY: ACCESS_KEY_ID, S3_TEST_SECRET: SECRET_ACCESS_KEY };
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { stop } = await startScript(script, [folder, String(gateway), String(monitor)], environment);
    const endpoint = `http://127.0.0.1:${gateway}`;
    const close = () => stop().then(remove);
    return { endpoint, accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET_ACCESS_KEY, close };
  } catch (error) {
    await remove();
    throw error;
  }
}
