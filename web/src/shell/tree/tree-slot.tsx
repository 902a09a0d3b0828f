import { useRouterState } from '@tanstack/react-router';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { NARROW, useMedia } from '../../components/use-media.ts';

const FolderTree = lazyComponent(() => import('./folder-tree.tsx').then((tree) => tree.FolderTree));

/** Folders of the library below its page, where there is space for them. */
export function TreeSlot() {
  const isLibrary = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath === '/files/$' });
  const isNarrow = useMedia(NARROW);
  return isLibrary && !isNarrow && <FolderTree />;
}
