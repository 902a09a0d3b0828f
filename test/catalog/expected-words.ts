import { expect } from 'vitest';
import type { Change } from './model.ts';

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/**
 * Where words should be. What others do is seen at the next reconciliation, as the sum of all their changes: when the service, or
 * a new file, takes a name meanwhile that they have touched, nobody can tell any more whose words they are, and either is right.
 */
export class ExpectedWords {
  readonly #hasIdentity: boolean;
  #words = new Map<string, string>();
  /** What others have changed since the last reconciliation. */
  #touched: string[] = [];
  #isMuddled = false;

  constructor(hasIdentity: boolean) {
    this.#hasIdentity = hasIdentity;
  }

  give(path: string, words: string): void {
    this.#words.set(path, words);
  }

  own(change: Change): void {
    this.#muddleIf(this.#isTouched(change));
    this.#apply(change);
  }

  foreign(change: Change): void {
    // In place, the file stays the same one.
    const isInPlace = change.type === 'write' && !this.#isTouched(change);
    if (!isInPlace) {
      const isNew = change.type === 'write';
      this.#muddleIf(this.#isTouched(change) && (isNew || !this.#hasIdentity));
      this.#muddleIf(change.type === 'move' && !this.#hasIdentity && this.#words.has(change.to));
      this.#touched.push(change.path, ...('to' in change ? [change.to] : []));
    }
    this.#apply(change);
  }

  /** After a reconciliation. */
  settle(actual: ReadonlyMap<string, string>): void {
    if (!this.#isMuddled)
      expect(actual).toEqual(new Map([...this.#words].sort(([one], [other]) => (one < other ? -1 : 1))));
    this.#words = new Map(actual);
    this.#touched = [];
    this.#isMuddled = false;
  }

  #isTouched(change: Change): boolean {
    const paths = [change.path, ...('to' in change ? [change.to] : [])];
    return paths.some((path) => this.#touched.some((one) => isIn(one, path) || isIn(path, one)));
  }

  #muddleIf(condition: boolean): void {
    this.#isMuddled ||= condition;
  }

  #apply(change: Change): void {
    const words = this.#words;
    switch (change.type) {
      case 'write':
      case 'createFolder':
        return;
      case 'remove':
        words.delete(change.path);
        return;
      case 'removeFolder':
        for (const path of [...words.keys()]) if (isIn(path, change.path)) words.delete(path);
        return;
      case 'moveFolder':
        for (const [path, value] of [...words])
          if (isIn(path, change.path) && change.to !== change.path) {
            words.delete(path);
            words.set(change.to + path.slice(change.path.length), value);
          }
        return;
      default: {
        if (change.path === change.to) return;
        const moved = words.get(change.path);
        if (change.type === 'move') words.delete(change.path);
        if (moved === undefined) words.delete(change.to);
        else words.set(change.to, moved);
      }
    }
  }
}
