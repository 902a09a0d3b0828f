// The commands of package.json. Runs on Node 20 and later: it installs the dependencies and starts the program on the
// Node version that comes with them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './child.mjs';
import { hasDashboardSources, isDashboardBuilt, removeOldDashboard } from './dashboard.mjs';
import { acceptedOptions, V8_OPTIONS } from './v8-options.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, 'node_modules', '.bin');
const STAMP = join(ROOT, 'node_modules', '.installed-lock');
const NEEDED_NODE = 24;

/** A step of programs that run concurrently. */
const TYPES_AND_LINT = [
  ['tsc', '--noEmit'],
  ['tsc', '-p', 'web'],
  ['tsc', '-p', 'packages/client', '--noEmit'],
  ['tsc', '-p', 'packages/client/tsconfig.cli.json', '--noEmit'],
  ['biome', 'check'],
];
const TESTS = ['vitest', 'run'];

/** The circle of tests that a command runs (`test/circles.ts`). */
const CIRCLES = { check: 'first', test: 'first', 'test:rest': 'second' };

const SERVICE = ['node', 'src/main.ts'];

// libuv's threads read and sync files, look up names and hash passwords: most of the time they wait for a disk
// (ARCHITECTURE.md).
const THREADS = '8';

// Node's compile cache: the service and its workers start with half of the work.
const COMPILED = join(ROOT, 'node_modules', '.cache', 'compiled');

const COMMANDS = {
  start: [SERVICE],
  dev: [['node', 'scripts/dev.mjs']],
  check: [TYPES_AND_LINT, [...TESTS, '--changed']],
  test: [TYPES_AND_LINT, TESTS],
  'test:rest': [TESTS],
  'test:all': [TYPES_AND_LINT, TESTS],
  bench: [['node', 'bench/run.ts']],
  corpus: [['node', 'test/corpus/run.ts']],
  fuzz: [['node', 'test/fuzz/run.ts']],
  admin: [['node', 'src/admin.ts']],
  package: [['node', 'scripts/package.mjs']],
  image: [['node', 'scripts/image/run.ts']],
  docs: [
    ['node', 'scripts/url-reference.ts'],
    ['node', 'scripts/client-options.ts'],
    ['node', 'scripts/formats.ts'],
    ['node', 'scripts/configuration.ts'],
    ['node', 'scripts/client-api.ts'],
    ['node', 'scripts/llms.ts'],
  ],
  site: [['node', 'scripts/site.ts']],
  release: [['node', 'scripts/release.ts']],
};

const [command, ...rest] = process.argv.slice(2);
// Named files run regardless of their circle.
const circle = rest.some((argument) => !argument.startsWith('-')) ? undefined : CIRCLES[command];
const steps = COMMANDS[command];
if (!steps) fail(`Expected one of ${Object.keys(COMMANDS).join(', ')}, received ${command ?? 'nothing'}.`);
installDependencies();
requireNode();
// With an option, `start` does not start the service.
if (command !== 'admin' && !(command === 'start' && rest.length > 0)) installFfmpeg();
const endBuild = command === 'start' && rest.length === 0 ? buildDashboard() : () => undefined;
for (const [index, step] of steps.entries()) {
  const isLast = index === steps.length - 1;
  const together = Array.isArray(step[0]) ? step : [step];
  const statuses = await Promise.all(
    together.map((one) => {
      const [program, ...args] = one === SERVICE ? withV8Options(one) : one;
      return run(program, [...args, ...(isLast ? rest : [])]);
    }),
  );
  endBuild();
  const failed = statuses.find((status) => status !== 0);
  if (failed !== undefined) process.exit(failed);
}

/** Installs exactly the locked versions if they are missing or were installed from another lock file. */
function installDependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  say('Installing dependencies (npm ci) ...');
  const npm = process.env.npm_execpath;
  const [program, ...args] = npm ? [process.execPath, npm] : ['npm'];
  // Every package with native code ships it prebuilt; install scripts compile or fetch nothing.
  const { status } = spawnSync(
    program,
    [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (status !== 0) fail('The dependencies could not be installed; npm says why above. It needs the npm registry.');
  writeFileSync(STAMP, lock);
}

function withV8Options([node, ...args]) {
  return [node, ...acceptedOptions(V8_OPTIONS, node, environment()), ...args];
}

function requireNode() {
  const version = spawnSync('node', ['--version'], { env: environment(), encoding: 'utf8' }).stdout ?? '';
  if (Number(/^v(\d+)/.exec(version)?.[1]) >= NEEDED_NODE) return;
  fail(
    `Darkroom runs on Node ${NEEDED_NODE}. npm has no package of it for this system (${process.platform} ${process.arch}): ` +
      `install Node ${NEEDED_NODE} or later and start again. Found: ${version.trim() || 'none'}.`,
  );
}

/** Videos need ffmpeg and ffprobe. On Debian, root installs them here; otherwise a message names what is missing. */
function installFfmpeg() {
  if (hasPrograms()) return;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && canRun('apt-get', ['--version'])) {
    say('Installing ffmpeg (apt-get) ...');
    const options = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
    const apt = (...args) =>
      spawnSync('apt-get', [...options, ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    if (apt('install', '-y', '--no-install-recommends', 'ffmpeg').status !== 0) {
      apt('update');
      apt('install', '-y', '--no-install-recommends', 'ffmpeg');
    }
    if (hasPrograms()) return;
  }
  const advice = 'ffmpeg and ffprobe are missing: install them (Debian, Ubuntu: sudo apt-get install ffmpeg).';
  if (command === 'check' || command.startsWith('test')) fail(advice);
  say(`${advice} Images work without them; videos do not.`);
}

/**
 * Builds the dashboard next to the service, which does not wait for it.
 * @returns a function that ends the build
 */
function buildDashboard() {
  if (process.env.MODE === 'api' || !hasDashboardSources() || isDashboardBuilt()) return () => undefined;
  removeOldDashboard();
  const child = spawn('node', ['scripts/dashboard.mjs'], { cwd: ROOT, stdio: 'inherit', env: environment() });
  const advice = 'There is no dashboard: see above. Everything else works without it.';
  child.on('error', (error) => say(`Cannot run node: ${error.message}. ${advice}`));
  child.on('exit', (code) => {
    if (code) say(advice);
  });
  try {
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended already, or lowering its priority is forbidden; then it builds at normal priority.
  }
  return () => child.kill('SIGKILL');
}

function hasPrograms() {
  return canRun('ffmpeg', ['-version']) && canRun('ffprobe', ['-version']);
}

function canRun(program, args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Runs a program of the dependencies; resolves to its exit code. */
function run(program, args) {
  return runChild(program, args, { cwd: ROOT, env: environment() }).catch((error) => fail(error.message));
}

function environment() {
  return {
    UV_THREADPOOL_SIZE: THREADS,
    NODE_COMPILE_CACHE: COMPILED,
    ...process.env,
    PATH: `${BIN}:${process.env.PATH}`,
    ...(circle && { TEST_CIRCLE: circle }),
  };
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
