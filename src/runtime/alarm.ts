/** Wakes a waiting task. A ring between `arm` and `wait` is not lost. */
export class Alarm {
  readonly #timers = new Set<NodeJS.Timeout>();
  #wake: (() => void) | undefined;
  #hasRung = false;

  /** Forgets earlier rings. */
  arm(): void {
    this.#hasRung = false;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  ringIn(delayMs: number): void {
    if (delayMs === 0) {
      this.ring();
      return;
    }
    // A timer may run up to a millisecond before the clock of the system shows its time, when what it rings for is not due yet.
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.ring();
    }, delayMs + 1);
    this.#timers.add(timer);
  }

  /** Waits until it rings, or until the time is up. */
  async wait(atMostMs: number): Promise<void> {
    if (this.#hasRung) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, atMostMs);
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }

  /** Cancels the rings to come. */
  silence(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
