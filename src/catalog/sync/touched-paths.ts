import type { StoragePath } from '../../path.ts';

/** The paths that were changed while somebody looked, who may have seen what was before and written it down afterwards. */
export class TouchedPaths {
  readonly #listening = new Set<Map<StoragePath, boolean>>();

  add(paths: readonly StoragePath[], isFolder: boolean): void {
    for (const touched of this.#listening)
      for (const path of paths) touched.set(path, isFolder || (touched.get(path) ?? false));
  }

  /** Runs work. @returns what was changed meanwhile, each with whether it is a folder */
  async during(work: () => Promise<void>): Promise<ReadonlyMap<StoragePath, boolean>> {
    const touched = new Map<StoragePath, boolean>();
    this.#listening.add(touched);
    try {
      await work();
      return touched;
    } finally {
      this.#listening.delete(touched);
    }
  }
}
