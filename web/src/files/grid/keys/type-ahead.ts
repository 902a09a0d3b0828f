import type { Entry } from '../../entry.ts';

/** Letters that follow within this time belong to one name. */
const PAUSE_MS = 700;

/** The beginning of a name that is being typed. */
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

  /** The name as far as it has been typed. */
  get text(): string {
    return this.#text;
  }

  /** Another key ends the name. */
  stop(): void {
    this.#text = '';
    this.#at = Number.NEGATIVE_INFINITY;
  }

  /** Takes another letter in. @returns what to look for, and whether the item that has the focus is passed over */
  type(letter: string): { matches(entry: Pick<Entry, 'name'>): boolean; isNext: boolean; start: string } {
    const text = (this.isTyping ? this.#text : '') + letter.toLocaleLowerCase();
    this.#at = this.#now();
    this.#text = text;
    // The same letter again and again goes through all that begin with it.
    const isNext = [...text].every((one) => one === text[0]);
    const start = isNext ? letter.toLocaleLowerCase() : text;
    return { matches: ({ name }) => name.toLocaleLowerCase().startsWith(start), isNext, start };
  }
}
