import { lazyComponent } from '../../components/lazy-component.tsx';
import { NARROW, useMedia } from '../../components/use-media.ts';

const FolderTree = lazyComponent(() => import('./folder-tree.tsx').then((tree) => tree.FolderTree));

/** Folders of the library below its link, on all pages: links that moved would be missed. */
export function TreeSlot({ isCollapsed }: { isCollapsed: boolean }) {
  const isNarrow = useMedia(NARROW);
  return !isCollapsed && !isNarrow && <FolderTree />;
}
