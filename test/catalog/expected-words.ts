import { expect } from 'vitest';
import type { Change } from './model.ts';

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/**
 * Expected metadata by path. External changes are seen at the next reconciliation, as the sum of all of them: if the
 * service, or a new file, meanwhile takes a name that they touched, the owner of its metadata is ambiguous, and either
 * result is correct.
 */
export class ExpectedWords {
  readonly #hasIdentity: boolean;
  #words = new Map<string, string>();
  /** External changes since the last reconciliation. */
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
    // An overwritten file keeps its identity.
    const isInPlace = change.type === 'write' && !this.#isTouched(change);
    if (!isInPlace) {
      const isNew = change.type === 'write';
      this.#muddleIf(this.#isTouched(change) && (isNew || !this.#hasIdentity));
      this.#muddleIf(change.type === 'move' && !this.#hasIdentity && this.#words.has(change.to));
      this.#touched.push(change.path, ...('to' in change ? [change.to] : []));
    }
    this.#apply(change);
  }

  /** Called after a reconciliation. */
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
