/** Wakes a waiting loop. A wake between `arm` and `wait` is not lost, so arm before checking for work. */
export class WakeSignal {
  #resolve: (() => void) | undefined;
  #isWoken = false;

  /** Discards earlier wakes. */
  arm(): void {
    this.#isWoken = false;
  }

  wake(): void {
    this.#isWoken = true;
    this.#resolve?.();
  }

  /** Waits for a wake, or until the timeout. */
  async wait(timeoutMs: number): Promise<void> {
    if (this.#isWoken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#resolve = resolve;
    await promise;
    this.#resolve = undefined;
    clearTimeout(timer);
  }
}
