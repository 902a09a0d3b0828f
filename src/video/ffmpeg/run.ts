import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { succeeds } from '../../concurrency.ts';
import { lowerPriorityOf } from '../../runtime/priority.ts';
import { traced } from '../../tracing.ts';
import { FfmpegFailed, lastLines, reportsUnwrittenEnd } from './errors.ts';
import { type Bounds, Watchdog } from './watchdog.ts';

/** The programs that were found, what they can do, and what they may use. */
export interface Ffmpeg {
  /** Absolute paths. */
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** As it calls itself, such as `5.1.9-0+deb12u1`. */
  readonly version: string;
  /** Whether it has the filters that bring HDR to SDR. */
  readonly canMapTones: boolean;
  /** The libraries that it was built with, such as `libx265`. */
  readonly libraries: ReadonlySet<string>;
  /** Command that makes a child die with this process, put before the program; empty where there is none. */
  readonly guard: readonly string[];
  /** Memory that each run may hold, in bytes; undefined for no bound. */
  readonly memoryBytes?: number | undefined;
}

/** How far an encoder has come. */
export interface FfmpegProgress {
  /** Video frames written. */
  frames: number;
  /** Length of what is written. */
  seconds: number;
}

interface FfmpegRun {
  signal?: AbortSignal | undefined;
  /** 0 to 19; higher is nicer. */
  niceness?: number | undefined;
  onProgress?: ((progress: FfmpegProgress) => void) | undefined;
  /** How long the encoder may write nothing before it is killed. */
  stallMs?: number | undefined;
  /** How long all of it may take. */
  timeoutMs?: number | undefined;
  /** Takes what ffmpeg writes to `pipe:3`. */
  onData?: ((chunk: Buffer) => void) | undefined;
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
const STALL_MS = 60_000;
const PROBE_TIMEOUT_MS = 30_000;
const MAX_PROBE_BYTES = 16 * 1024 * 1024;

const found = new Map<string, Ffmpeg>();

/**
 * Looks for ffmpeg and ffprobe. Asking them what they can do starts one of them: a process does it once.
 * @param searchPath folders as in `PATH`
 * @returns undefined when one of them is missing or does not run
 */
export async function findFfmpeg(searchPath = SEARCH_PATH): Promise<Ffmpeg | undefined> {
  const tools = found.get(searchPath) ?? (await searchFfmpeg(searchPath));
  if (tools) found.set(searchPath, tools);
  return tools;
}

async function searchFfmpeg(searchPath: string): Promise<Ffmpeg | undefined> {
  const [ffmpeg, ffprobe, setpriv] = await Promise.all(
    ['ffmpeg', 'ffprobe', 'setpriv'].map((name) => findProgram(name, searchPath)),
  );
  if (!ffmpeg || !ffprobe) return undefined;
  const guard = setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : [];
  const describe = (command: readonly string[]) => readAll([...command, ffmpeg, '-filters']);
  try {
    // Small systems have a setpriv that cannot do this.
    const guarded = await describe(guard).catch(() => undefined);
    const { output, errors } = guarded ?? (await describe([]));
    return {
      ffmpeg,
      ffprobe,
      // Its banner is on standard error.
      version: /^ffmpeg version (\S+)/m.exec(errors)?.[1] ?? 'unknown',
      canMapTones: / zscale /.test(output) && / tonemap /.test(output),
      libraries: new Set([...errors.matchAll(/ --enable-(lib\S+)/g)].map(([, name = '']) => name)),
      guard: guarded ? guard : [],
    };
  } catch {
    return undefined;
  }
}

/**
 * Runs ffmpeg to its end. It is killed when the signal aborts, when it writes nothing for `stallMs`, takes longer than
 * `timeoutMs` or holds more memory than it may, and when this process dies, however it dies.
 * @throws FfmpegFailed, FfmpegStalled, EncoderOverLimit, or the reason of the signal
 */
export function runFfmpeg(tools: Ffmpeg, args: readonly string[], run: FfmpegRun = {}): Promise<FfmpegProgress> {
  return traced('encode', {}, () => runToEnd(tools, args, run));
}

async function runToEnd(tools: Ffmpeg, args: readonly string[], run: FfmpegRun): Promise<FfmpegProgress> {
  const { signal, niceness = 0, onProgress, onData, stallMs = STALL_MS, timeoutMs } = run;
  signal?.throwIfAborted();
  const child = start([...tools.guard, tools.ffmpeg, ...args], signal, onData ? ['pipe'] : []);
  (child.stdio[3] as Readable | null | undefined)?.on('data', (chunk: Buffer) => onData?.(chunk));
  // Right after the start, so that every thread of the child inherits it.
  if (niceness > 0 && child.pid !== undefined) lowerPriorityOf(child.pid, niceness);
  const watchdog = new Watchdog(child, { memoryBytes: tools.memoryBytes, stallMs, timeoutMs });
  let last: FfmpegProgress = { frames: 0, seconds: 0 };
  onProgressReport(child, (progress) => {
    if (progress.frames > last.frames || progress.seconds > last.seconds) watchdog.sawProgress();
    last = progress;
    onProgress?.(progress);
  });
  await finished(child, args, watchdog, signal);
  return last;
}

/**
 * Runs ffprobe and gives its standard output.
 * @throws FfmpegFailed, EncoderOverLimit, or the reason of the signal
 */
export async function runFfprobe(tools: Ffmpeg, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const command = [...tools.guard, tools.ffprobe, ...args];
  return (await readAll(command, { memoryBytes: tools.memoryBytes }, signal)).output;
}

/** No shell, no input, and an environment that holds no secrets. */
function start(command: readonly string[], signal: AbortSignal | undefined, more: 'pipe'[] = []): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(program, args, {
    cwd: '/',
    env: { PATH: SEARCH_PATH, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe', ...more],
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
}

/** Reads what `-progress pipe:1` writes: lines of `key=value`, each report closed by a line `progress=...`. */
function onProgressReport(child: ChildProcess, report: (progress: FfmpegProgress) => void): void {
  let rest = '';
  const progress = { frames: 0, seconds: 0 };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [key, value] = line.trim().split('=');
      const number = Number(value);
      if (key === 'frame' && number >= 0) progress.frames = number;
      if (key === 'out_time_us' && number >= 0) progress.seconds = number / 1e6;
      if (key === 'progress') report({ ...progress });
    }
  });
}

/** What a program writes to its standard output, and the end of what it writes to its standard error. */
async function readAll(command: readonly string[], bounds: Bounds = {}, signal?: AbortSignal) {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const child = start(command, signal ? AbortSignal.any([signal, timeout]) : timeout);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.length > MAX_PROBE_BYTES) child.kill('SIGKILL');
  });
  const errors = await finished(child, command, new Watchdog(child, bounds), signal);
  return { output, errors };
}

/** Waits for the end of a child, whatever ends it. @returns the end of what it wrote to standard error */
async function finished(
  child: ChildProcess,
  args: readonly string[],
  watchdog: Watchdog,
  signal: AbortSignal | undefined,
): Promise<string> {
  try {
    return await ended(child, args);
  } catch (error) {
    signal?.throwIfAborted();
    throw watchdog.verdict ? Object.assign(watchdog.verdict, { cause: error }) : error;
  } finally {
    watchdog.stop();
  }
}

/** Its last lines on standard error become the error when a child fails. */
function ended(child: ChildProcess, args: readonly string[]): Promise<string> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-16_384);
  });
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    child.on('error', (error) => {
      failure = error;
      if (child.pid === undefined) reject(error);
    });
    child.on('close', (code, signal) => {
      const lines = lastLines(errors, args);
      if (code === 0 && !failure && !reportsUnwrittenEnd(lines)) return resolve(errors);
      reject(Object.assign(new FfmpegFailed(lines, code, signal), { cause: failure }));
    });
  });
}

async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter)) {
    const file = join(folder, name);
    if (await succeeds(access(file, constants.X_OK))) return file;
  }
  return undefined;
}
