import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** The timer that measures a stall fires at its end, and before this. */
const AFTER_A_STALL_MS = 5;

/**
 * Watches the event loop of this process.
 * @returns a function that returns the longest stall since its last call, in ms
 */
export function watchStalls(): () => Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  return async () => {
    await wait(AFTER_A_STALL_MS);
    const longestMs = delays.max / 1e6;
    delays.reset();
    return longestMs;
  };
}
