interface Turn {
  /** Aborts when somebody else wants to have the next turn. */
  wanted: AbortController;
  over: Promise<void>;
}

/** One piece of work at a time for each key, in the order of its arrival; and it is told when others wait. */
export class Turns {
  readonly #taken = new Map<string, Turn>();

  has(key: string): boolean {
    return this.#taken.has(key);
  }

  /** @param work is given a signal that aborts when others wait for it; what it does then is its own affair */
  async take<T>(key: string, work: (wanted: AbortSignal) => Promise<T>): Promise<T> {
    for (let before = this.#taken.get(key); before; before = this.#taken.get(key)) {
      before.wanted.abort();
      await before.over;
    }
    const { promise: over, resolve: leave } = Promise.withResolvers<void>();
    const turn = { wanted: new AbortController(), over };
    this.#taken.set(key, turn);
    try {
      return await work(turn.wanted.signal);
    } finally {
      this.#taken.delete(key);
      leave();
    }
  }

  /** When all work that is under way has ended. */
  async settled(): Promise<void> {
    await Promise.all(Array.from(this.#taken.values(), ({ over }) => over));
  }
}
