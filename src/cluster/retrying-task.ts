export interface RetryingTaskOptions {
  run(): Promise<unknown>;
  /** Delay before the work is repeated after a failure, in ms. */
  retryMs: number;
  onFailure(error: unknown): void;
}

export type RetryingTask = ReturnType<typeof createRetryingTask>;

/** Creates work that is repeated after a failure until it succeeds, or until it is stopped. */
export function createRetryingTask({ run, retryMs, onFailure }: RetryingTaskOptions) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Resolves after the first attempt. */
  async function start(): Promise<void> {
    clearTimeout(timer);
    if (isStopped) return;
    try {
      await run();
    } catch (error) {
      // It may have been stopped while it ran.
      if (isStopped) return;
      onFailure(error);
      clearTimeout(timer);
      timer = setTimeout(() => void start(), retryMs);
    }
  }

  return {
    start,
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
