#!/usr/bin/env node
// The command of the package that npm packs. It runs on older versions of Node too, and starts the service on the one
// that comes with the dependencies.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../scripts/child.mjs';
import { acceptedOptions, V8_OPTIONS } from '../scripts/v8-options.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NEEDED_NODE = 24;

const PROGRAMS = { start: 'src/main.js', admin: 'src/admin.js' };
const CLIENT = 'packages/client/dist/cli/main.js';

const HELP = `darkroom [<command>]

  start [<option>]                  the service, which keeps its data in ./data unless DATA_DIR is set; the default
  admin <command>                   administration on the host of the service

See "darkroom start --help" and "darkroom admin --help". The other commands work with any service, also on another host:

`;

// libuv's threads mostly wait for a disk. Cached compiled code makes later starts faster.
const ENVIRONMENT = {
  UV_THREADPOOL_SIZE: '8',
  NODE_COMPILE_CACHE: join(ROOT, '.cache', 'compiled'),
  ...process.env,
};

async function main([name = 'start', ...args]) {
  if (name === '--version') return say(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
  const isHelp = name === '--help' || name === '-h';
  if (isHelp) process.stdout.write(HELP);
  if (name.startsWith('-') && !isHelp) return run('start', [name, ...args]);
  return run(name, args);
}

function run(name, args) {
  const node = findNode();
  const isOwn = Object.hasOwn(PROGRAMS, name);
  const options = name === 'start' ? acceptedOptions(V8_OPTIONS, node, ENVIRONMENT) : [];
  const program = [join(ROOT, isOwn ? PROGRAMS[name] : CLIENT), ...(isOwn ? [] : [name])];
  return runChild(node, [...options, ...program, ...args], { env: ENVIRONMENT });
}

/** This Node, or the one that npm has installed next to this package. */
function findNode() {
  if (Number.parseInt(process.versions.node, 10) >= NEEDED_NODE) return process.execPath;
  const brought = `node-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${brought}/bin/node`);
  } catch {
    throw new Error(
      `Darkroom runs on Node ${NEEDED_NODE} or later, and this is ${process.version}. It would use that of the package ${brought}, ` +
        `which is not installed: for Linux on x64 and arm64 npm does so, unless it omits optional packages. ` +
        `Install that package, or Node ${NEEDED_NODE}.`,
    );
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
