/** The changes under way, which a count may hold back. */
export class RunningChanges {
  /** How many changes there have been, including those that are held back. */
  begun = 0;
  running = 0;
  /** Resolves when changes are no longer held back. */
  #held: Promise<void> | undefined;
  #onQuiet: () => void = () => undefined;

  async run<T>(change: () => Promise<T>): Promise<T> {
    this.begun++;
    while (this.#held) await this.#held;
    this.running++;
    try {
      return await change();
    } finally {
      if (--this.running === 0) this.#onQuiet();
    }
  }

  /** Does its work when all changes under way have ended. New changes begin after it. To be called one at a time. */
  async holdBack<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      if (this.running > 0) await new Promise<void>((quiet) => (this.#onQuiet = quiet));
      return await work();
    } finally {
      this.#held = undefined;
      resolve();
    }
  }
}
