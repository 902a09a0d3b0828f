import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);

export const CHART = join(import.meta.dirname, '..', '..', 'deploy', 'helm');

/** A Kubernetes object, limited to the fields that the tests read. */
export interface Manifest {
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: The tests know what they look for, and fail where it is not.
  spec: any;
}

/**
 * Defines a group of tests that need Helm, which Debian does not package; without it they are skipped with a reason.
 */
export async function describeWithHelm(name: string, tests: () => void): Promise<void> {
  const isThere = await run('helm', ['version']).then(
    () => true,
    () => false,
  );
  if (isThere) describe(name, tests);
  else describe.skip(`${name} (skipped: helm is not installed)`, tests);
}

/** Renders the chart with some values: `settings.NAME=value`. */
export async function renderChart(...values: string[]): Promise<Manifest[]> {
  const { stdout } = await run('helm', ['template', 'media', CHART, ...values.flatMap((value) => ['--set', value])]);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}
