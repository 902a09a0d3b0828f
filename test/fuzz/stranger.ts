import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile, table, verdict } from '../../bench/tools/report.ts';
import { API_KEY, type Darkroom, startDarkroom, warm } from '../../bench/tools/service.ts';
import type { Fuzz } from './run.ts';
import type { Told } from './stranger/attacker.ts';
import { FOLDER, PHOTO, VIDEO } from './stranger/attacks.ts';
import { type Footprint, watchFootprint } from './stranger/footprint.ts';
import { collectLeaks } from './stranger/forger.ts';
import { type Latencies, WARM } from './stranger/visitors.ts';
import { type Leaked, SECRET } from './stranger/wire.ts';

/** Seconds. */
export const unit = 'seconds';
export const defaultCount = 600;

const FIXTURES = new URL('../fixtures/', import.meta.url);
const FILES_IN_FOLDER = 2000;
/** The attacker would have its own host: its process uses only the CPU time that the service and its visitors leave. */
const STRANGER_NICENESS = 15;
const MEGABYTE = 1024 * 1024;
/** Cache and temporary files have budgets of gigabytes by default; in ten minutes one address stays far below. */
const BUDGETS = { variants: 10_240, tmp: 4096 + 1024 } as const;

/**
 * Attacks the service from one address for this many seconds, with its default settings, while other clients request
 * cached images and new thumbnails, and an editor works with a key. `API_SECRET` is set: some attacks have signatures.
 * Problems are failures of the other clients, accepted forged signatures, and memory or disk over their bounds; times
 * are reported only, because attacker and visitors share the host with the service.
 */
export const fuzz: Fuzz = async ({ count: seconds, target }) => {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-stranger-'));
  const environment = { PUBLIC_RATE_LIMIT_MAX: '100', API_SECRET: SECRET, DATA_DIR: data };
  const main = target && join(target, 'src/main.ts');
  const darkroom = await startDarkroom({ environment, data, ...(main && { main }) });
  try {
    await stock(darkroom);
    const { pid } = darkroom;
    const stopWatching = watchFootprint(pid, data);
    const leaked = await leak(darkroom.url);
    const { latencies, answers, accepted } = await siege(Number(new URL(darkroom.url).port), seconds, leaked);
    const footprint = await stopWatching();
    const isAlive = await fetch(`${darkroom.url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
    return report({ seconds, latencies, answers, accepted, footprint, isAlive });
  } finally {
    await darkroom.stop();
    await rm(data, { recursive: true, force: true });
  }
};

async function stock(darkroom: Darkroom): Promise<void> {
  await darkroom.upload(PHOTO, await readFile(new URL('photo-2725x2225.jpg', FIXTURES)));
  await darkroom.upload(VIDEO, await readFile(new URL('schizo_90.mp4', FIXTURES)));
  const folder = join(darkroom.originals, FOLDER);
  await mkdir(folder);
  for (let n = 0; n < FILES_IN_FOLDER; n++) await writeFile(join(folder, `${n}.jpg`), String(n));
  await warm(darkroom.url + WARM);
}

/** Returns signatures as published on pages: those of keys with one permission each. */
async function leak(url: string): Promise<Leaked[]> {
  const keyFor = async (permission: string) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': API_KEY };
    const body = JSON.stringify({ name: permission, permissions: [permission] });
    const answer = await fetch(`${url}/api-keys/create`, { method: 'POST', headers, body });
    const { apiKey } = (await answer.json()) as { apiKey: { key: string } };
    return { 'x-api-key': apiKey.key };
  };
  const leaked = await collectLeaks(url, { read: await keyFor('read'), upload: await keyFor('upload') }, PHOTO);
  const purposes = new Set(leaked.map(({ purpose }) => purpose));
  if (purposes.size < 3) throw new Error(`Expected signatures of three purposes, received ${[...purposes]}.`);
  return leaked;
}

interface Siege {
  latencies: Latencies;
  answers: [status: number, count: number][];
  /** Forgeries that the service accepted. */
  accepted: readonly string[];
}

/** Runs visitors and attacker as separate processes: neither waits for the other. */
async function siege(port: number, seconds: number, leaked: readonly Leaked[]): Promise<Siege> {
  const visitors = start('visitors.ts', [String(port), API_KEY]);
  const attacker = start('attacker.ts', [String(port), String(seconds), JSON.stringify(leaked)]);
  setPriority(attacker.pid ?? 0, STRANGER_NICENESS);
  let answers: Siege['answers'] = [];
  let accepted: Siege['accepted'] = [];
  attacker.on('message', (told: Told) => {
    if ('answers' in told) {
      answers = told.answers;
      accepted = told.accepted;
    } else {
      process.stderr.write(`  ${told.wave}\n`);
      visitors.send(told);
    }
  });
  await once(attacker, 'exit');
  const told = once(visitors, 'message');
  visitors.send('stop');
  const [latencies] = (await told) as [Latencies];
  return { latencies, answers, accepted };
}

function start(program: string, args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(`./stranger/${program}`, import.meta.url)), args);
}

const HEADINGS = [
  ...['', 'hit p50', 'p99', 'slowest'],
  ...['thumbnail p50', 'p99', 'slowest'],
  ...['with a key p50', 'p99', 'slowest'],
];

function report({
  seconds,
  latencies: { hits, thumbnails, keyed, failures },
  answers,
  accepted,
  footprint,
  isAlive,
}: Siege & { seconds: number; footprint: Footprint; isAlive: boolean }) {
  const of = (all: Latencies['hits'], wave?: string) =>
    all.filter((one) => wave === undefined || one.wave === wave).map(({ ms }) => ms);
  const cells = (wave?: string) =>
    [of(hits, wave), of(thumbnails, wave), of(keyed, wave)].flatMap((ms) =>
      ms.length === 0 ? ['', '', ''] : [0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(0)),
    );
  const waves = [...new Set(hits.map(({ wave }) => wave))];
  const rows = waves.map((wave) => [wave, ...cells(wave)]);
  const memory = footprint.memory / MEGABYTE;
  const inMegabytes = (all: Record<string, number>) =>
    Object.entries(all)
      .map(([name, bytes]) => `${name} ${(bytes / MEGABYTE).toFixed(0)}`)
      .join(', ');
  const lines = [
    `${seconds} s; milliseconds of others' requests (${hits.length} hits, ${thumbnails.length} cold thumbnails, ${keyed.length} requests with a key) during each wave:`,
    '',
    table(HEADINGS, [...rows, ['all waves', ...cells()]]),
    '',
    verdict('99th percentile of hits', quantile(of(hits), 0.99), 'at most', 50, ' ms'),
    verdict('slowest cold thumbnail', Math.max(...of(thumbnails)), 'at most', 2000, ' ms'),
    verdict('memory of all processes', memory, 'at most', 1024, ' MB'),
    verdict('failed requests of others', failures.length, 'exactly', 0),
    verdict('forged signatures that were accepted', accepted.length, 'exactly', 0),
    '',
    `Memory at its highest (MB): ${inMegabytes(footprint.programs)}. Open files: ${footprint.openFiles}. On disk (MB): ${inMegabytes(footprint.folders)}.`,
    `The stranger's answers by status (0: refused or cut): ${answers.map(([status, times]) => `${status}: ${times}`).join(', ')}.`,
  ];
  const overfull = Object.entries(BUDGETS).filter(
    ([name, budget]) => (footprint.folders[name] ?? 0) > budget * MEGABYTE,
  );
  const problems = [
    ...counted(failures),
    ...counted(accepted),
    ...overfull.map(([name, budget]) => `the folder ${name} held more than ${budget} MB`),
    ...(memory > 1024 ? [`the processes held ${memory.toFixed(0)} MB`] : []),
    ...(isAlive ? [] : ['the service does not answer any more']),
  ];
  return { lines, problems };
}

/** Merges repeated failures into one line each. */
function counted(failures: readonly string[]): string[] {
  const times = Map.groupBy(failures, (failure) => failure);
  return [...times].map(([failure, all]) => (all.length > 1 ? `${failure} (${all.length} times)` : failure));
}
