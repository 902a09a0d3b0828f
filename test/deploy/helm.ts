import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);

export const CHART = join(import.meta.dirname, '..', '..', 'deploy', 'helm');

/** A Kubernetes object, as far as the tests look into it. */
export interface Manifest {
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: The tests know what they look for, and fail where it is not.
  spec: any;
}

/** A group of tests that need Helm, which Debian does not have; without it they are skipped and say so. */
export async function describeWithHelm(name: string, tests: () => void): Promise<void> {
  const isThere = await run('helm', ['version']).then(
    () => true,
    () => false,
  );
  if (isThere) describe(name, tests);
  else describe.skip(`${name} (skipped: helm is not installed)`, tests);
}

/** What the chart makes with some values: `settings.NAME=value`. */
export async function renderChart(...values: string[]): Promise<Manifest[]> {
  const { stdout } = await run('helm', ['template', 'media', CHART, ...values.flatMap((value) => ['--set', value])]);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}
