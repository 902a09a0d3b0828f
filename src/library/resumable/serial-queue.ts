/** Running work of a key. */
interface Turn {
  /** Aborts when another caller waits. */
  superseded: AbortController;
  over: Promise<void>;
}

/** Serializes work by key, in the order of arrival, and signals to the running work that others wait. */
export class SerialQueue {
  readonly #taken = new Map<string, Turn>();

  has(key: string): boolean {
    return this.#taken.has(key);
  }

  /** @param work receives a signal that aborts when others wait; it may ignore it */
  async take<T>(key: string, work: (superseded: AbortSignal) => Promise<T>): Promise<T> {
    for (let before = this.#taken.get(key); before; before = this.#taken.get(key)) {
      before.superseded.abort();
      await before.over;
    }
    const { promise: over, resolve: leave } = Promise.withResolvers<void>();
    const turn = { superseded: new AbortController(), over };
    this.#taken.set(key, turn);
    try {
      return await work(turn.superseded.signal);
    } finally {
      this.#taken.delete(key);
      leave();
    }
  }

  /** Resolves when all work in progress has ended. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#taken.values(), ({ over }) => over));
  }
}
