import { Slots } from '../concurrency.ts';
import { unavailable, unprocessable } from '../errors.ts';
import type { Ffmpeg } from '../video/ffmpeg.ts';
import { UndecodableVideo } from '../video/probe.ts';
import { extractFrame, ImpossibleTranscode, type VideoSettings } from '../video/transcode.ts';

export interface FrameOrder {
  /** A video, a local file. */
  input: string;
  /** A PNG that does not exist yet. */
  output: string;
  /** Seconds. Past the end the last frame is taken. */
  time: number;
  signal: AbortSignal;
}

/** Takes single frames out of videos, a few at a time. */
export interface FrameExtractor {
  /** @throws HttpProblem 422 when the video has no frame to show, 503 when overloaded or without ffmpeg */
  extract(order: FrameOrder): Promise<void>;
}

export interface FrameExtractorOptions {
  tools: Ffmpeg | undefined;
  settings: VideoSettings;
  /** How many at once. */
  size: number;
  maxQueued: number;
  maxWaitMs: number;
  timeoutMs: number;
}

export function createFrameExtractor(options: FrameExtractorOptions): FrameExtractor {
  const { tools, settings, timeoutMs } = options;
  const slots = new Slots({ ...options, purpose: 'taking frames out of videos' });

  return {
    async extract({ signal, ...order }) {
      if (!tools) throw unavailable('Videos cannot be read: ffmpeg is not installed on the server.', 3600);
      await slots.use(signal, async () => {
        const timeout = AbortSignal.timeout(timeoutMs);
        try {
          await extractFrame(tools, settings, { ...order, signal: AbortSignal.any([signal, timeout]) });
        } catch (cause) {
          signal.throwIfAborted();
          if (timeout.aborted)
            throw unavailable(`Taking the frame took longer than ${timeoutMs} ms (RENDER_TIMEOUT_MS).`, 30, cause);
          if (cause instanceof UndecodableVideo || cause instanceof ImpossibleTranscode) {
            throw unprocessable(cause.message, cause);
          }
          throw cause;
        }
      });
    },
  };
}
