import type { TestProject } from 'vitest/node';
import { sharedServer } from '../shared-server.ts';
import { PostgresServer } from './server.ts';

/** The URL of the server that the tests share, or the reason for its absence. */
export type PostgresForTests = { url: string } | { missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresForTests;
  }
}

/**
 * Starts the server once for all tests on PostgreSQL. If it is unavailable they are skipped, but not in a complete
 * check.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const { server, leave } = await sharedServer('postgres', () => PostgresServer.start());
    project.provide('postgres', { url: server.url() });
    return leave;
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    if (process.env.CI === 'true')
      throw new Error(`The tests on PostgreSQL need a server: ${missing}`, { cause: error });
    process.stderr.write(`The tests on PostgreSQL are skipped: ${missing}\n`);
    project.provide('postgres', { missing });
    return async () => undefined;
  }
}
