import type { JobEvent } from '../events.ts';

type Listener = (event: JobEvent) => void;

/** Listeners to the events of this process. */
export class Listeners {
  readonly #all = new Set<Listener>();

  /** Adds a listener. Returns the function that removes it. */
  add(listener: Listener): () => void {
    // Wrapped, so that one function may listen twice.
    const own: Listener = (event) => listener(event);
    this.#all.add(own);
    return () => {
      this.#all.delete(own);
    };
  }

  notify(event: JobEvent): void {
    for (const listener of [...this.#all]) listener(event);
  }
}
