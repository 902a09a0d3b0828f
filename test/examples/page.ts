import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TEST_KEY } from '../service.ts';
import { ROOT } from '../source-files.ts';
import { examplesOf, type Fence } from './fences.ts';

/** Placeholders in examples for the reader's own values. */
const PLACEHOLDERS = ['paste-the-key-here', '<your key>'];
const ADDRESSES = ['http://localhost:3000', 'https://media.example.com'];

/**
 * Shell prelude of examples. A status from 400 on fails, unless the line declares it: `curl ... # 404`. `npm run admin`
 * is that of this repository.
 */
const PRELUDE = `
set -euo pipefail
curl() {
  local status code=0
  command curl --no-progress-meter --write-out '%{stderr}%{http_code}' "$@" 2> "$SCRATCH/curl" || code=$?
  status=$(tail -c 3 "$SCRATCH/curl")
  if [ $code = 0 ] && { [ "$status" = "$EXPECTED" ] || { [ -z "$EXPECTED" ] && [ "$status" -lt 400 ]; }; }; then return; fi
  echo "curl $*: $(cat "$SCRATCH/curl")" >&2
  return 1
}
npm() {
  while [ "$1" != -- ]; do shift; done
  shift
  "$NODE" "$ROOT/src/admin.ts" "$@"
}
EXPECTED=
trap 'code=$?; [ $code = 0 ] || echo "$HERE" >&2' EXIT
`;

export interface ExampleSurroundings {
  /** URL of the service. */
  url: string;
  environment?: Readonly<Record<string, string>>;
  /** Creates the prerequisites of the examples, in the folder in which they run. */
  prepare?: (folder: string) => Promise<void>;
}

/**
 * Runs all marked examples of a page in order, like a reader.
 * @returns their number.
 * @throws as `runExamples`
 */
export async function runPage(page: string, surroundings: ExampleSurroundings): Promise<number> {
  const fences = await examplesOf(page);
  await runExamples(page, fences, surroundings);
  return fences.length;
}

/** @throws the failure, with the line of the page */
export async function runExamples(
  page: string,
  fences: readonly Fence[],
  { url, environment, prepare }: ExampleSurroundings,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-examples-'));
  try {
    await symlink(join(ROOT, 'test'), join(folder, 'test'));
    await prepare?.(folder);
    const scripts = fences.map((fence) => `HERE='${page}, from line ${fence.line}'\n${scriptOf(fence, url)}`);
    const settings = { SCRATCH: folder, ROOT, NODE: process.execPath, KEY: TEST_KEY, DARKROOM: url };
    const child = spawn('bash', ['-s'], {
      cwd: folder,
      env: { ...environmentOfReader(), ...settings, ...environment },
    });
    child.stdin.end(`${PRELUDE}${scripts.join('\n')}`);
    const [said] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
    if (child.exitCode !== 0) throw new Error(said);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the environment without variables of the test runner. */
export function environmentOfReader(): NodeJS.ProcessEnv {
  const { MODE: _, ...others } = process.env;
  return others;
}

function scriptOf({ text: script }: Fence, url: string): string {
  let ready = script;
  for (const placeholder of PLACEHOLDERS) ready = ready.replaceAll(placeholder, TEST_KEY);
  for (const address of ADDRESSES) ready = ready.replaceAll(address, url);
  return ready.replace(/^(curl .*) # (\d{3})\b.*$/gm, 'EXPECTED=$2; $1; EXPECTED=');
}
