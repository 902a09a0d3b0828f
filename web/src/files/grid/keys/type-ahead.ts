import type { Entry } from '../../entry.ts';

/** Pause that starts a new name. */
const PAUSE_MS = 700;

/** Type-ahead search for a name. */
export class TypeAhead {
  #text = '';
  #at = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get isTyping(): boolean {
    return this.#now() - this.#at < PAUSE_MS;
  }

  /** Text typed so far. */
  get text(): string {
    return this.#text;
  }

  /** Ends the typed name. */
  stop(): void {
    this.#text = '';
    this.#at = Number.NEGATIVE_INFINITY;
  }

  /** Adds a letter. @returns the search: its predicate, its text, and `isNext` to skip the focused item */
  type(letter: string): { matches(entry: Pick<Entry, 'name'>): boolean; isNext: boolean; start: string } {
    const text = (this.isTyping ? this.#text : '') + letter.toLocaleLowerCase();
    this.#at = this.#now();
    this.#text = text;
    // Repeating one letter cycles through the names that begin with it.
    const isNext = [...text].every((one) => one === text[0]);
    const start = isNext ? letter.toLocaleLowerCase() : text;
    return { matches: ({ name }) => name.toLocaleLowerCase().startsWith(start), isNext, start };
  }
}
