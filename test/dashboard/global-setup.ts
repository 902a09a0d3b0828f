import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { sharedServer } from '../shared-server.ts';

/** Address of the browser, or the reason why it is missing. */
export type BrowserForTests = { address: string } | { missing: string };

declare module 'vitest' {
  interface ProvidedContext {
    browser: BrowserForTests;
  }
}

const run = promisify(execFile);
const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..', '..');

/**
 * Builds the dashboard as `npm start` does and starts one Chromium for all tests. Without Chromium the tests are
 * skipped, except in CI.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await run('node', ['scripts/dashboard.mjs'], { cwd: ROOT });
  try {
    const { server, leave } = await sharedServer('chromium', startChromium);
    project.provide('browser', { address: server.wsEndpoint() });
    return leave;
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    if (process.env.CI === 'true')
      throw new Error(`The tests of the dashboard need Chromium: ${missing}`, { cause: error });
    process.stderr.write(`The tests of the dashboard are skipped: ${missing}\n`);
    project.provide('browser', { missing });
    return async () => undefined;
  }
}

async function startChromium() {
  const { stdout } = await run('bash', [join(FOLDER, 'find-chromium.sh')]);
  // Chromium refuses a sandbox as root. The pages are our own.
  return chromium.launchServer({ executablePath: stdout.trim(), args: ['--no-sandbox'] });
}
