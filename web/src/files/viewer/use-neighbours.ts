import { useCallback, useEffect, useState } from 'react';
import { nameOf } from '../../api/paths.ts';
import type { Entry } from '../entry.ts';
import type { FolderPage } from '../use-folder-page.ts';
import type { Files } from '../use-listing.ts';

export interface Neighbours {
  /** True if there is a file before (-1) or after (1). */
  has(by: 1 | -1): boolean;
  step(by: 1 | -1): void;
  /** Path of the file after, or before, if it has arrived. */
  pathOf(by: 1 | -1): string | undefined;
}

/** Files before and after the shown one, in the order of the listing. Items that have not arrived are loaded. */
export function useNeighbours(page: FolderPage, path: string): Neighbours {
  const { files, address, choosing, lookAround } = page;
  const { setFocused } = choosing;
  const { change } = address;
  const [target, setTarget] = useState<number>();
  const index = indexOf(files, path, choosing.focused);
  useFound(page, path, index);
  useEffect(() => {
    if (index !== undefined) setFocused(index);
    lookAround(target ?? index);
  }, [index, target, setFocused, lookAround]);
  useEffect(() => () => lookAround(undefined), [lookAround]);
  const show = useCallback(
    (at: number, file: Entry) => {
      setTarget(undefined);
      setFocused(at);
      change({ open: file.path }, true);
    },
    [setFocused, change],
  );
  const awaited = target === undefined ? undefined : files.get(target);
  useEffect(() => {
    if (target !== undefined && awaited !== undefined) show(target, awaited);
  }, [target, awaited, show]);
  const at = target ?? index;
  const has = (by: 1 | -1) => at !== undefined && isFile(files, at + by);
  return {
    has,
    step(by) {
      if (at === undefined || !has(by)) return;
      const next = files.get(at + by);
      if (next === undefined) setTarget(at + by);
      else show(at + by, next);
    },
    pathOf: (by) => (at !== undefined && has(by) ? files.get(at + by)?.path : undefined),
  };
}

/** Folders come first, so there is no file before them. */
const isFile = (files: Files, index: number) =>
  index >= 0 && index < files.count && files.get(index)?.kind !== 'folder';

function indexOf(files: Files, path: string, guess: number): number | undefined {
  return files.get(guess)?.path === path ? guess : files.find(0, (entry) => entry.path === path);
}

/** Looks for the index of a file that has not arrived, by its name. */
function useFound({ files, choosing, lookAround }: FolderPage, path: string, index: number | undefined): void {
  const { seek, count } = files;
  const isUnknown = index === undefined && count > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listing makes a new function for each render
  useEffect(() => {
    if (!isUnknown) return;
    let isWanted = true;
    seek(nameOf(path)).then(
      (found) => {
        if (!isWanted || found === undefined) return;
        choosing.setFocused(found);
        lookAround(found);
      },
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [isUnknown, path]);
}
