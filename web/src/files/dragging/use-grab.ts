import { useEffect, useRef } from 'react';
import { useCan } from '../../api/access.ts';
import { folderOf } from '../../api/paths.ts';
import { isChosen, mayContain, NOTHING, type Selection, targetOfEntry } from '../selection.ts';
import type { FolderPage } from '../use-folder-page.ts';
import type { Files } from '../use-listing.ts';
import { grab } from './grab.ts';

/** Grabs the selection if it contains the pressed item, else the item. */
export function useGrab({ address, files, selection, chosen, setSelection }: FolderPage) {
  const canManage = useCan('manage');
  const { folder, opened, change, go } = address;
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (index: number, begun: PointerEvent) => {
    const entry = files.get(index);
    if (!canManage || entry === undefined) return;
    const isOfSelection = isChosen(selection, entry.path, index);
    const target = isOfSelection ? chosen : targetOfEntry(entry);
    grab({
      target,
      begun,
      home: begun.target instanceof Element ? begun.target.closest('.files-main') : null,
      has: (path) => (isOfSelection ? isSelected(path, folder, selection, files) : path === entry.path),
      onOpen: go,
      onDropped: (isCopy) => {
        // A folder that was opened meanwhile has its own state.
        if (!isShown.current) return;
        setSelection(NOTHING);
        if (!isCopy && opened !== undefined && mayContain(target, opened)) change({ open: undefined }, true);
      },
    });
  };
}

/** True if a path is selected, by its index if it has arrived. */
function isSelected(path: string, folder: string, selection: Selection, files: Files): boolean {
  const index = files.find(0, (entry) => entry.path === path);
  if (index !== undefined) return isChosen(selection, path, index);
  if (selection.items.has(path)) return true;
  const parent = folderOf(path);
  return selection.isAll && parent === folder && !selection.except.has(path);
}
