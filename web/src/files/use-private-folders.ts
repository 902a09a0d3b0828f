import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSpace } from '../api/access.ts';
import { LIBRARY, setPrivate, spacesQuery } from '../api/spaces.ts';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { isPrivateBy, ownerOf, type PrivateFolder, rulesIn, rulesNaming } from './private-paths.ts';

/** Folders from which visitors get nothing, by the rules of the library or of the space of the page. */
export function usePrivateFolders() {
  const here = useSpace()?.id ?? LIBRARY;
  const spaces = useQuery(spacesQuery).data;
  const rules = useMemo(() => rulesIn(spaces ?? [], here), [spaces, here]);
  const isPrivate = useCallback((path: string) => isPrivateBy(rules, path), [rules]);
  // Before the spaces are known, a rule could go to the wrong one.
  const ownersOf = (path: string) => [spaces && ownerOf(spaces, here, path)].filter((owner) => owner !== undefined);
  return {
    /** True for a private folder, and for folders in it. */
    isPrivate,
    /** Undefined where neither is possible: a folder above is private, or it is the folder of a space. */
    changeOf(path: string): 'makePrivate' | 'makePublic' | undefined {
      if (rulesNaming(rules, path).length > 0) return 'makePublic';
      return isPrivate(path) || ownersOf(path).length === 0 ? undefined : 'makePrivate';
    },
    makePrivate: (path: string) => change(ownersOf(path), path, true),
    makePublic: (path: string) => change(rulesNaming(rules, path), path, false),
  };
}

async function change(folders: readonly PrivateFolder[], path: string, isPrivate: boolean): Promise<void> {
  try {
    for (const { spaceId, folder } of folders) await setPrivate(spaceId, folder, isPrivate);
    toast((isPrivate ? messages.files.isNowPrivate : messages.files.isNowPublic)(path));
  } catch (error) {
    toast(errorMessage(error));
  }
}
