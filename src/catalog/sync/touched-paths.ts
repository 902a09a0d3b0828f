import type { StoragePath } from '../../path.ts';

/** Records paths that change during a read, whose result may be older than the change. */
export class TouchedPaths {
  readonly #listening = new Set<Map<StoragePath, boolean>>();

  add(paths: readonly StoragePath[], isFolder: boolean): void {
    for (const touched of this.#listening)
      for (const path of paths) touched.set(path, isFolder || (touched.get(path) ?? false));
  }

  /** Runs work. @returns the paths changed meanwhile, each with true for a folder */
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
