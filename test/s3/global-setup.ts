import type { TestProject } from 'vitest/node';
import { sharedServer } from '../shared-server.ts';
import { startS3Server } from './server.ts';

/** The server's address and credentials for the tests, or the reason for its absence. */
export type S3ForTests = { endpoint: string; accessKeyId: string; secretAccessKey: string } | { missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    s3: S3ForTests;
  }
}

/** Starts the server once for all tests on S3. If it is unavailable they are skipped, but not in a complete check. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const { server, leave } = await sharedServer('s3', startS3Server);
    const { endpoint, accessKeyId, secretAccessKey } = server;
    project.provide('s3', { endpoint, accessKeyId, secretAccessKey });
    return leave;
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    if (process.env.CI === 'true') throw new Error(`The tests on S3 need a server: ${missing}`, { cause: error });
    process.stderr.write(`The tests on S3 are skipped: ${missing}\n`);
    project.provide('s3', { missing });
    return async () => undefined;
  }
}
