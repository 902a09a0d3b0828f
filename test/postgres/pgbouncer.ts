import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { freePort } from '../ports.ts';
import { startScript } from '../script-server.ts';

interface PgBouncer {
  /** The same database through the pooler. */
  url: string;
  close(): Promise<void>;
}

/** Starts a PgBouncer for a group of tests. If it is unavailable they are skipped, but not in a complete check. */
export function usePgBouncer(databaseUrl: () => string, pooling: 'transaction' | 'session'): { readonly url: string } {
  let pooler: PgBouncer | undefined;
  let missing: string | undefined;
  beforeAll(async () => {
    try {
      pooler = await startPgBouncer(databaseUrl(), pooling);
    } catch (error) {
      missing = error instanceof Error ? error.message : String(error);
      if (process.env.CI === 'true') throw error;
    }
  });
  afterAll(() => pooler?.close());
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
  return {
    get url() {
      return pooler?.url ?? '';
    },
  };
}

/**
 * Starts a PgBouncer in front of the server of a database.
 * @throws Error that names the requirements
 */
async function startPgBouncer(url: string, pooling: 'transaction' | 'session'): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-pgbouncer-'));
  const port = await freePort();
  const address = new URL(url);
  const script = new URL('./start-pgbouncer.sh', import.meta.url);
  const remove = () => rm(folder, { recursive: true, force: true });
  const environment = { POSTGRES_TEST_PASSWORD: address.password };
  try {
    const { stop } = await startScript(script, [folder, String(port), address.port, pooling], environment);
    address.port = String(port);
    return { url: address.href, close: () => stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
