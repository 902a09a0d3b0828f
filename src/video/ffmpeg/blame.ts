import { UndecodableVideo } from '../source/probe.ts';
import { FfmpegFailed, NoRoom, tellsOfNoRoom } from './errors.ts';

/**
 * Says whose fault a failure of ffmpeg is. Mostly the video is to blame; but the disk may be full, and an encoder may have been
 * killed because the machine is short of memory.
 * @throws always: UndecodableVideo, NoRoom, or the cause itself
 */
export function blameVideo(cause: unknown): never {
  return blame('The video', cause);
}

/** Like `blameVideo`, where sound alone is read. */
export function blameSound(cause: unknown): never {
  return blame('The sound', cause);
}

function blame(culprit: string, cause: unknown): never {
  if (!(cause instanceof FfmpegFailed) || cause.signal) throw cause;
  if (tellsOfNoRoom(cause.lines)) throw new NoRoom({ cause });
  throw new UndecodableVideo(`${culprit} cannot be converted: ${cause.lines.slice(-3).join('; ')}`, { cause });
}

export function noFrame(): UndecodableVideo {
  return new UndecodableVideo('No frame of the video can be decoded; it is damaged or incomplete.');
}
