import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder, which `close` removes. */
export async function temporaryFolder(): Promise<{ folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
  return { folder, close: () => rm(folder, { recursive: true }) };
}
