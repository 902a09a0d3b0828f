const MAX_ERROR_LINES = 8;

/** A failure of ffmpeg or ffprobe. `lines` are the last lines of standard error, without paths of the disk. */
export class FfmpegFailed extends Error {
  override name = 'FfmpegFailed';
  readonly lines: readonly string[];
  /** Signal that killed the process, if any. */
  readonly signal: NodeJS.Signals | undefined;

  constructor(lines: readonly string[], code: number | null, signal: NodeJS.Signals | null) {
    super(signal ? `The program was killed by ${signal}.` : (lines.at(-1) ?? `The program ended with code ${code}.`));
    this.lines = lines;
    this.signal = signal ?? undefined;
  }
}

/** The watchdog killed an encoder that made no progress. */
export class FfmpegStalled extends Error {
  override name = 'FfmpegStalled';

  constructor(stallMs: number) {
    super(`The encoder made no progress for ${Math.round(stallMs / 1000)} s and was stopped.`);
  }
}

/** The disk is full: neither the video nor the encoder is at fault. The code is that of the file system. */
export class DiskFull extends Error {
  override name = 'DiskFull';
  readonly code = 'ENOSPC';

  constructor(options: ErrorOptions) {
    super('The disk is full.', options);
  }
}

/** The video itself is at fault. The message is for the person who uploaded it. */
export class UndecodableVideo extends Error {
  override name = 'UndecodableVideo';
}

/** True if the last lines of a program report a full disk. */
function reportsFullDisk(lines: readonly string[]): boolean {
  return lines.some((line) => /No space left on device|Disk quota exceeded/.test(line));
}

/** True if the lines report an unwritten end: ffmpeg prints this without an error status. */
export function reportsUnwrittenEnd(lines: readonly string[]): boolean {
  return lines.some((line) => /^Error (writing trailer of|closing file) /.test(line)) || reportsFullDisk(lines);
}

/** Returns the last lines of a program without the paths of its arguments and others. */
export function lastLines(text: string, args: readonly string[]): string[] {
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
    .slice(-MAX_ERROR_LINES);
}

/**
 * Rethrows a failure of ffmpeg as the error of its cause. Mostly the video is at fault; but the disk may be full, and
 * an encoder may have been killed because the host is short of memory.
 * @throws always: UndecodableVideo, DiskFull, or the cause itself
 */
export function blameVideo(cause: unknown): never {
  return blame('The video', cause);
}

/** Like `blameVideo`, if only audio is read. */
export function blameAudio(cause: unknown): never {
  return blame('The audio', cause);
}

function blame(culprit: string, cause: unknown): never {
  if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
  if (reportsFullDisk(cause.lines)) throw new DiskFull({ cause });
  throw new UndecodableVideo(`${culprit} cannot be converted: ${cause.lines.slice(-3).join('; ')}`, { cause });
}

export function noFrame(): UndecodableVideo {
  return new UndecodableVideo('No frame of the video can be decoded; it is damaged or incomplete.');
}
