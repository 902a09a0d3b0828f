import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { delimiter, join } from 'node:path';

/** The programs that were found, and what they can do. */
export interface Ffmpeg {
  /** Absolute paths. */
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** As it calls itself, such as `5.1.9-0+deb12u1`. */
  readonly version: string;
  /** Whether it has the filters that bring HDR to SDR. */
  readonly canMapTones: boolean;
  /** Command that makes a child die with this process, put before the program; empty where there is none. */
  readonly guard: readonly string[];
}

/** How far an encoder has come. */
export interface FfmpegProgress {
  /** Video frames written. */
  frames: number;
  /** Length of what is written. */
  seconds: number;
}

export interface FfmpegRun {
  signal?: AbortSignal | undefined;
  /** 0 to 19; higher is nicer. */
  niceness?: number | undefined;
  onProgress?: ((progress: FfmpegProgress) => void) | undefined;
  /** How long the encoder may write nothing before it is killed. */
  stallMs?: number | undefined;
}

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
const STALL_MS = 60_000;
const PROBE_TIMEOUT_MS = 30_000;
const MAX_PROBE_BYTES = 16 * 1024 * 1024;
const KEPT_ERROR_LINES = 8;

/**
 * Looks for ffmpeg and ffprobe.
 * @param searchPath folders as in `PATH`
 * @returns undefined when one of them is missing or does not run
 */
export async function findFfmpeg(searchPath = SEARCH_PATH): Promise<Ffmpeg | undefined> {
  const [ffmpeg, ffprobe, setpriv] = await Promise.all(
    ['ffmpeg', 'ffprobe', 'setpriv'].map((name) => findProgram(name, searchPath)),
  );
  if (!ffmpeg || !ffprobe) return undefined;
  const guard = setpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : [];
  try {
    const [banner, filters, isGuarding] = await Promise.all([
      readOutput([ffmpeg, '-version']),
      readOutput([ffmpeg, '-hide_banner', '-filters']),
      succeeds([...guard, ffmpeg, '-version']),
    ]);
    return {
      ffmpeg,
      ffprobe,
      version: /^ffmpeg version (\S+)/.exec(banner)?.[1] ?? 'unknown',
      canMapTones: / zscale /.test(filters) && / tonemap /.test(filters),
      // Small systems have a setpriv that cannot do this.
      guard: isGuarding ? guard : [],
    };
  } catch {
    return undefined;
  }
}

/**
 * Runs ffmpeg to its end. It is killed when the signal aborts, when it writes nothing for `stallMs`, and when this
 * process dies, however it dies.
 * @throws FfmpegFailed, FfmpegStalled, or the reason of the signal
 */
export async function runFfmpeg(tools: Ffmpeg, args: readonly string[], run: FfmpegRun = {}): Promise<FfmpegProgress> {
  const { signal, niceness = 0, onProgress, stallMs = STALL_MS } = run;
  signal?.throwIfAborted();
  const child = start([...tools.guard, tools.ffmpeg, ...args], signal);
  lowerPriority(child, niceness);
  let stalled = false;
  const watchdog = setTimeout(() => {
    stalled = true;
    child.kill('SIGKILL');
  }, stallMs);
  let last: FfmpegProgress = { frames: 0, seconds: 0 };
  onProgressReport(child, (progress) => {
    if (progress.frames > last.frames || progress.seconds > last.seconds) watchdog.refresh();
    last = progress;
    onProgress?.(progress);
  });
  try {
    await finished(child, args);
    return last;
  } catch (error) {
    signal?.throwIfAborted();
    throw stalled ? new FfmpegStalled(stallMs, error) : error;
  } finally {
    clearTimeout(watchdog);
  }
}

/**
 * Runs ffprobe and gives its standard output.
 * @throws FfmpegFailed, or the reason of the signal
 */
export async function runFfprobe(tools: Ffmpeg, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return readOutput([...tools.guard, tools.ffprobe, ...args], signal);
}

/** ffmpeg or ffprobe gave up. `lines` are the last ones that it wrote to its standard error, without paths of the disk. */
export class FfmpegFailed extends Error {
  override name = 'FfmpegFailed';
  readonly lines: readonly string[];
  /** What killed it, if it did not end by itself. */
  readonly signal: NodeJS.Signals | undefined;

  constructor(lines: readonly string[], code: number | null, signal: NodeJS.Signals | null) {
    super(signal ? `The program was ended by ${signal}.` : (lines.at(-1) ?? `The program ended with code ${code}.`));
    this.lines = lines;
    this.signal = signal ?? undefined;
  }
}

/** The watchdog killed an encoder that wrote nothing for a while. */
export class FfmpegStalled extends Error {
  override name = 'FfmpegStalled';

  constructor(stallMs: number, cause: unknown) {
    super(`The encoder made no progress for ${Math.round(stallMs / 1000)} s and was stopped.`, { cause });
  }
}

/** No shell, no input, and an environment that holds no secrets. */
function start(command: readonly string[], signal: AbortSignal | undefined): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(program, args, {
    cwd: '/',
    env: { PATH: SEARCH_PATH, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
}

/** At once after the start, so that every thread of the child inherits it. */
function lowerPriority(child: ChildProcess, niceness: number): void {
  if (niceness === 0 || child.pid === undefined) return;
  try {
    setPriority(child.pid, niceness);
  } catch {
    // It has ended already, or the system does not allow it: then it runs as it is.
  }
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

async function readOutput(command: readonly string[], signal?: AbortSignal) {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const child = start(command, signal ? AbortSignal.any([signal, timeout]) : timeout);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.length > MAX_PROBE_BYTES) child.kill('SIGKILL');
  });
  try {
    await finished(child, command);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return output;
}

/** Waits for the end of a child. Its last lines on standard error become the error when it fails. */
function finished(child: ChildProcess, args: readonly string[]): Promise<void> {
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
      if (code === 0 && !failure) return resolve();
      reject(Object.assign(new FfmpegFailed(lastLines(errors, args), code, signal), { cause: failure }));
    });
  });
}

function lastLines(text: string, args: readonly string[]): string[] {
  const paths = args.filter((arg) => arg.includes('/')).flatMap((arg) => [arg, arg.replace(/^file:/, '')]);
  const known = paths.reduce((all, path) => all.replaceAll(path, 'file'), text);
  return known
    .split('\n')
    .map((line) =>
      line
        .replace(/ @ 0x[0-9a-f]+/g, '')
        .replace(/(?<![\w)\]])\/(?:[^\s/:'"]+\/)+[^\s:'"]*/g, 'file')
        .trim(),
    )
    .filter((line) => line !== '')
    .slice(-KEPT_ERROR_LINES);
}

async function succeeds(command: readonly string[]): Promise<boolean> {
  return readOutput(command).then(
    () => true,
    () => false,
  );
}

async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter)) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
