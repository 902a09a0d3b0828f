import { useRouterState } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { lazyComponent } from '../../components/lazy-component.tsx';

const FolderTree = lazyComponent(() => import('./folder-tree.tsx').then((tree) => tree.FolderTree));

/** Narrower windows have a sidebar of icons, or none. */
const WIDE = matchMedia('(min-width: 1025px)');

/** Folders of the library below its page, where there is space for them. */
export function TreeSlot() {
  const isLibrary = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath === '/files/$' });
  const isWide = useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener);
      return () => WIDE.removeEventListener('change', listener);
    },
    () => WIDE.matches,
  );
  return isLibrary && isWide && <FolderTree />;
}
