import { unavailable, unprocessable } from '../errors.ts';
import type { Ffmpeg } from '../video/ffmpeg/run.ts';
import { extractFrame, probeFrames } from '../video/frame/extract.ts';
import { ImpossibleTranscode } from '../video/limits.ts';
import { UndecodableVideo } from '../video/source/probe.ts';
import { isLarge } from '../video/threads.ts';
import type { VideoSettings } from '../video/transcode.ts';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';
import type { Claim } from './pool.ts';

export interface FrameOrder {
  /** A video, a local file. */
  input: string;
  /** A PNG that does not exist yet. */
  output: string;
  /** Seconds. Past the end the last frame is taken. */
  time: number;
  signal: AbortSignal;
  /** Charged by the clock, because the CPU time of ffmpeg is not known when its process is gone. */
  claim: Claim;
}

export interface FrameExtractorOptions extends Omit<FairQueueOptions, 'purpose' | 'heavyMegabytes'> {
  tools: Ffmpeg | undefined;
  settings: VideoSettings;
  timeoutMs: number;
}

/** Any number does: there is never room for two of them. */
const LARGE_MEGABYTES = 1;

export type FrameExtractor = ReturnType<typeof createFrameExtractor>;

/** Takes single frames out of videos, a few at a time. */
export function createFrameExtractor(options: FrameExtractorOptions) {
  const { tools, settings, timeoutMs } = options;
  const queue = new FairQueue({ ...options, purpose: 'taking frames out of videos', heavyMegabytes: 0 });

  return {
    /** @throws HttpProblem 422 when the video has no frame to show, 503 when overloaded or without ffmpeg, 429 when too much of one network waits */
    async extract({ signal, claim, ...order }: FrameOrder): Promise<void> {
      if (!tools)
        throw unavailable('Videos cannot be read: ffmpeg is not installed on the server.', 'ffmpeg_missing', 3600);
      const ticket = queue.ticket(claim.clients, signal);
      const inTurn = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
        queue.hold(ticket, () => charged(claim, () => inTime(work, signal, timeoutMs)));

      const large = await inTurn(async (until) => {
        const probe = await probeFrames(tools, settings, order.input, until);
        if (isLarge(probe.upright)) return probe;
        await extractFrame(tools, settings, probe, { ...order, signal: until });
        return undefined;
      });
      if (!large) return;
      // It takes as much memory as many small ones, so large ones go one at a time.
      ticket.megabytes = LARGE_MEGABYTES;
      await inTurn((until) => extractFrame(tools, settings, large, { ...order, signal: until }));
    },
  };
}

async function charged<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
  claim.begin();
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    claim.charge(performance.now() - startedAt);
  }
}

/** @throws HttpProblem 503 when it takes too long, 422 when the video is to blame; the signal's reason */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await work(AbortSignal.any([signal, timeout]));
  } catch (cause) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      const message = `Taking the frame took longer than ${timeoutMs} ms (RENDER_TIMEOUT_MS).`;
      throw unavailable(message, 'render_timeout', 30, cause);
    }
    if (cause instanceof UndecodableVideo || cause instanceof ImpossibleTranscode) {
      throw unprocessable(cause.message, 'unprocessable_media', cause);
    }
    throw cause;
  }
}
