import { queryOptions } from '@tanstack/react-query';
import { ApiError } from './error.ts';

/** Interval of questions while a job draws the image; it doubles. */
const FIRST_MS = 500;
const MAX_MS = 30_000;
/** Before each question: files that are passed by with arrow keys start no job. */
const REST_MS = 400;

function rest(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, REST_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** State of an image that a job draws, such as a waveform; the first question starts the job. */
export const generatedImageQuery = (url: string) =>
  queryOptions({
    queryKey: ['files', 'generated image', url],
    queryFn: async ({ signal }): Promise<'ready' | 'pending' | 'failed'> => {
      await rest(signal);
      const { status } = await fetch(url, { method: 'HEAD', signal });
      if (status === 202) return 'pending';
      if (status === 401 || status === 429 || status >= 500)
        throw new ApiError(status, 'The image is not available yet.');
      return status === 200 ? 'ready' : 'failed';
    },
    refetchInterval: ({ state }) =>
      state.data === 'pending' && Math.min(MAX_MS, FIRST_MS * 2 ** (state.dataUpdateCount - 1)),
    staleTime: Number.POSITIVE_INFINITY,
  });
