import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { succeeds } from '../../concurrency.ts';
import { lowerPriorityOf } from '../../runtime/priority.ts';
import { traced } from '../../tracing.ts';
import { FfmpegFailed, lastLines, reportsUnwrittenEnd } from './errors.ts';
import { type Bounds, Watchdog } from './watchdog.ts';

/** Paths, features and memory limit of the ffmpeg installation. */
export interface Ffmpeg {
  /** Absolute paths. */
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** As reported by ffmpeg, such as `5.1.9-0+deb12u1`. */
  readonly version: string;
  /** True if it has the filters that map HDR to SDR. */
  readonly canMapTones: boolean;
  /** Libraries of the build, such as `libx265`. */
  readonly libraries: ReadonlySet<string>;
  /** Command prefix that kills the child when this process dies; empty if unavailable. */
  readonly guard: readonly string[];
  /** Memory limit of each run, in bytes. */
  readonly memoryBytes?: number | undefined;
}

/** Progress of an encoder. */
export interface FfmpegProgress {
  /** Video frames written. */
  frames: number;
  /** Duration written. */
  seconds: number;
}

interface FfmpegRun {
  signal?: AbortSignal | undefined;
  /** 0 to 19; higher is nicer. */
  niceness?: number | undefined;
  onProgress?: ((progress: FfmpegProgress) => void) | undefined;
  /** Longest time without progress before the encoder is killed, in ms; a minute by default. */
  stallMs?: number | undefined;
  /** Time limit of the run, in ms; none by default. */
  timeoutMs?: number | undefined;
  /** Receives the output of `pipe:3`. */
  onData?: ((chunk: Buffer) => void) | undefined;
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
const STALL_MS = 60_000;
const PROBE_TIMEOUT_MS = 30_000;
const MAX_PROBE_BYTES = 16 * 1024 * 1024;

const found = new Map<string, Ffmpeg>();

/**
 * Finds ffmpeg and ffprobe. Reading the features starts ffmpeg, so the result is cached.
 * @param searchPath folders as in `PATH`
 * @returns undefined if one of them is missing or does not run
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
    // setpriv of small systems lacks this option.
    const guarded = await describe(guard).catch(() => undefined);
    const { output, errors } = guarded ?? (await describe([]));
    return {
      ffmpeg,
      ffprobe,
      // The banner goes to standard error.
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
 * Runs ffmpeg until it ends. Kills it when the signal aborts, after `stallMs` without progress, after `timeoutMs`, over
 * the memory limit, and whenever this process dies.
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
  // Immediately after the start, so that every thread of the child inherits it.
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

/** Runs ffprobe and returns its standard output. @throws FfmpegFailed, EncoderOverLimit, or the reason of the signal */
export async function runFfprobe(tools: Ffmpeg, args: readonly string[], signal?: AbortSignal): Promise<string> {
  const command = [...tools.guard, tools.ffprobe, ...args];
  return (await readAll(command, { memoryBytes: tools.memoryBytes }, signal)).output;
}

/** Starts a child without shell, input or secrets in its environment. */
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

/** Parses `-progress pipe:1`: lines of `key=value`, each report closed by a line `progress=...`. */
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

/** Returns the standard output of a program, and the end of its standard error. */
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

/** Waits until a child ends for any reason. @returns the end of its standard error */
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

/** Resolves with the end of standard error. Rejects with its last lines when the child fails. */
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
