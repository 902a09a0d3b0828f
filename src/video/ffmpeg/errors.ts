const MAX_ERROR_LINES = 8;

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

  constructor(stallMs: number) {
    super(`The encoder made no progress for ${Math.round(stallMs / 1000)} s and was stopped.`);
  }
}

/** The disk is full: neither the video nor the encoder is to blame. Its code is that of the file system. */
export class DiskFull extends Error {
  override name = 'DiskFull';
  readonly code = 'ENOSPC';

  constructor(options: ErrorOptions) {
    super('There is no room left on the disk.', options);
  }
}

/** The video itself is to blame. The message is for the person who uploaded it. */
export class UndecodableVideo extends Error {
  override name = 'UndecodableVideo';
}

/** Whether the last lines of a program tell of a full disk. */
function reportsFullDisk(lines: readonly string[]): boolean {
  return lines.some((line) => /No space left on device|Disk quota exceeded/.test(line));
}

/** Whether the lines tell of an end that was not written: ffmpeg says so, but reports no error. */
export function reportsUnwrittenEnd(lines: readonly string[]): boolean {
  return lines.some((line) => /^Error (writing trailer of|closing file) /.test(line)) || reportsFullDisk(lines);
}

/** The last lines of a program, without the paths that it was called with and others. */
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
 * Says whose fault a failure of ffmpeg is. Mostly the video is to blame; but the disk may be full, and an encoder may have been
 * killed because the machine is short of memory.
 * @throws always: UndecodableVideo, NoRoom, or the cause itself
 */
export function blameVideo(cause: unknown): never {
  return blame('The video', cause);
}

/** Like `blameVideo`, where sound alone is read. */
export function blameAudio(cause: unknown): never {
  return blame('The sound', cause);
}

function blame(culprit: string, cause: unknown): never {
  if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
  if (reportsFullDisk(cause.lines)) throw new DiskFull({ cause });
  throw new UndecodableVideo(`${culprit} cannot be converted: ${cause.lines.slice(-3).join('; ')}`, { cause });
}

export function noFrame(): UndecodableVideo {
  return new UndecodableVideo('No frame of the video can be decoded; it is damaged or incomplete.');
}
