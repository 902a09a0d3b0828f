import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const CLIENTS_FOLDER = import.meta.dirname;
const GENERATED = join(CLIENTS_FOLDER, 'generated');
const PAGE = join(CLIENTS_FOLDER, '..', '..', 'docs', 'api-clients.md');
const OPENAPI_TYPESCRIPT = 'node_modules/openapi-typescript/bin/cli.js';
const HEY_API = 'node_modules/@hey-api/openapi-ts/bin/run.js';

export const CLIENTS = ['openapi-fetch', 'hey-api'] as const;

/**
 * Generates both clients of an OpenAPI document, with the code around them from docs/api-clients.md.
 * @throws the errors of the generators
 */
export async function generateClients(document: string): Promise<void> {
  await rm(GENERATED, { recursive: true, force: true });
  const page = await readFile(PAGE, 'utf8');
  await mkdir(GENERATED);
  const file = join(GENERATED, 'openapi.json');
  await writeFile(file, document);
  await Promise.all([
    runProgram(OPENAPI_TYPESCRIPT, [file, '-o', 'generated/openapi-fetch/openapi.ts']),
    runProgram(HEY_API, ['-i', file, '-o', 'generated/hey-api/api']),
  ]);
  await writeExamples(page, '## openapi-fetch', 'openapi-fetch');
  await writeExamples(page, '## @hey-api/openapi-ts', 'hey-api');
}

/** Writes the files shown in a section of the page. */
async function writeExamples(page: string, heading: string, folder: string): Promise<void> {
  const section = page.slice(page.indexOf(heading)).split('\n## ')[0] ?? '';
  for (const [, name = '', code = ''] of section.matchAll(/^```ts\n\/\/ src\/(.*)\n([\s\S]*?)^```/gm)) {
    await writeFile(join(GENERATED, folder, name), code);
  }
}

/** Checks the types of the clients and of the programs that use them, and compiles both for Node. */
export async function compilePrograms(): Promise<void> {
  await runProgram('node_modules/typescript/bin/tsc', ['-p', '.']);
}

/**
 * Runs a program that needs the packages of this folder.
 * @returns its output
 * @throws its error output
 */
export async function runProgram(
  file: string,
  args: readonly string[] = [],
  { input = '', environment = {} }: { input?: string; environment?: Record<string, string> } = {},
): Promise<string> {
  const child = spawn('node', [file, ...args], {
    cwd: CLIENTS_FOLDER,
    stdio: 'pipe',
    env: { ...process.env, ...environment },
  });
  child.stdin.end(input);
  const [out, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${complaint}${out}`);
  return out;
}
