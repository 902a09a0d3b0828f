import { unavailable, unprocessable } from '../errors.ts';
import { UndecodableVideo } from '../video/ffmpeg/errors.ts';
import type { Ffmpeg } from '../video/ffmpeg/run.ts';
import { isLarge } from '../video/ffmpeg/threads.ts';
import { extractFrame, probeFrames } from '../video/frame.ts';
import { ImpossibleTranscode } from '../video/limits.ts';
import { lengthOf } from '../video/source/frame-times.ts';
import type { VideoProbe } from '../video/source/probe.ts';
import { type AudioProbe, probeAudio } from '../video/source/probe-audio.ts';
import type { VideoSettings } from '../video/transcode.ts';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';
import type { Claim } from './pool.ts';
import { TaskFatal } from './tasks.ts';

export interface ProbeOrder {
  /** A local file. */
  input: string;
  signal: AbortSignal;
  /** Charged by elapsed time, because the CPU time of an ended ffmpeg process is unknown. */
  claim: Claim;
}

export interface FrameOrder extends ProbeOrder {
  /** A PNG that does not exist yet. */
  output: string;
  /** Seconds. Past the end the last frame is taken. */
  time: number;
  /** Result of `probeVideo`, if it was called before. */
  probe?: VideoProbe;
}

export interface FrameExtractorOptions extends Omit<FairQueueOptions, 'purpose' | 'heavyMegabytes'> {
  tools: Ffmpeg | undefined;
  settings: VideoSettings;
  timeoutMs: number;
}

/** Any number works: two of them never fit. */
const LARGE_MEGABYTES = 1;

export type FrameExtractor = ReturnType<typeof createFrameExtractor>;

/** Extracts single frames and probes videos and audio, a few at a time. */
export function createFrameExtractor(options: FrameExtractorOptions) {
  const { settings, timeoutMs } = options;
  const queue = new FairQueue({ ...options, purpose: 'frames of videos', heavyMegabytes: 0 });

  /** Runs each step in a slot of its own, with the time limit. */
  function startOrder({ claim, signal }: ProbeOrder) {
    const tools = requireTools(options.tools);
    const ticket = queue.ticket(claim.clients, signal, claim.isBackground, claim.space);
    if (claim.isHeavy) ticket.megabytes = LARGE_MEGABYTES;
    const inSlot = <T>(work: (tools: Ffmpeg, until: AbortSignal) => Promise<T>): Promise<T> =>
      queue.hold(ticket, () => charged(claim, () => inTime((until) => work(tools, until), signal, timeoutMs)));
    return { ticket, inSlot };
  }

  return {
    /**
     * @throws HttpProblem 422 for an undecodable video, 503 when overloaded or without ffmpeg, 429 for too many waiting
     * tasks
     */
    async probeVideo(order: ProbeOrder): Promise<VideoProbe> {
      return startOrder(order).inSlot((tools, until) => probeFrames(tools, settings, order.input, until));
    },

    /**
     * Returns the length of the video stream in seconds, also if the file does not state it. Throws like `probeVideo`.
     */
    async lengthOf(probe: VideoProbe, order: ProbeOrder): Promise<number> {
      return startOrder(order).inSlot((tools, until) => lengthOf(tools, order.input, probe, until));
    },

    /** Throws like `probeVideo`. */
    async probeAudio(order: ProbeOrder): Promise<AudioProbe> {
      return startOrder(order).inSlot((tools, until) => probeAudio(tools, order.input, until));
    },

    /** Throws like `probeVideo`; 422 also when the video has no frame to show. */
    async extract({ signal, claim, probe: known, ...order }: FrameOrder): Promise<void> {
      const { ticket, inSlot } = startOrder({ input: order.input, signal, claim });
      const large = await inSlot(async (tools, until) => {
        const probe = known ?? (await probeFrames(tools, settings, order.input, until));
        if (isLarge(probe.upright)) return probe;
        await extractFrame(tools, settings, probe, { ...order, signal: until });
        return undefined;
      });
      if (!large) return;
      // A large one takes as much memory as many small ones, so they run one at a time.
      ticket.megabytes = LARGE_MEGABYTES;
      await inSlot((tools, until) => extractFrame(tools, settings, large, { ...order, signal: until }));
    },
  };
}

function requireTools(tools: Ffmpeg | undefined): Ffmpeg {
  if (tools) return tools;
  throw unavailable('Videos cannot be read: ffmpeg is not installed on the server.', 'ffmpeg_missing', 3600);
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
      throw unavailable(message, 'render_timeout', 30, new TaskFatal(message, { cause }));
    }
    if (cause instanceof UndecodableVideo || cause instanceof ImpossibleTranscode) {
      throw unprocessable(cause.message, 'unprocessable_media', cause);
    }
    throw cause;
  }
}
