import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSpace } from '../api/access.ts';
import { queryClient } from '../api/query-client.ts';
import { LIBRARY, spaceQuery, spacesQuery, updateSpace } from '../api/spaces.ts';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { isPrivateBy, type PrivateRule, rulesInLibrary, rulesInSpace, rulesNaming } from './private-paths.ts';

export type PrivateFolders = ReturnType<typeof usePrivateFolders>;

/** Folders from which visitors get nothing, by the rules of the library or of the space of the page. */
export function usePrivateFolders() {
  const space = useSpace();
  const spaces = useQuery({ ...spacesQuery, enabled: space === null }).data;
  const own = useQuery({ ...spaceQuery(space?.id ?? LIBRARY), enabled: space !== null }).data;
  const rules = useMemo((): PrivateRule[] => {
    if (space === null) return rulesInLibrary(spaces ?? []);
    return own ? rulesInSpace(own) : [];
  }, [space, spaces, own]);
  const isPrivate = useCallback((path: string) => isPrivateBy(rules, path), [rules]);
  return {
    /** True for a private folder, and for folders in it. */
    isPrivate,
    /** Undefined for a folder that is private because of one above it. */
    changeOf(path: string): 'makePrivate' | 'makePublic' | undefined {
      if (rulesNaming(rules, path).length > 0) return 'makePublic';
      return isPrivate(path) ? undefined : 'makePrivate';
    },
    makePrivate: (path: string) => change([{ path, spaceId: space?.id ?? LIBRARY, named: path }], path, true),
    makePublic: (path: string) => change(rulesNaming(rules, path), path, false),
  };
}

async function change(rules: readonly PrivateRule[], path: string, isPrivate: boolean): Promise<void> {
  try {
    for (const { spaceId, named } of rules) {
      const { privateFolders } = await queryClient.fetchQuery({ ...spaceQuery(spaceId), staleTime: 0 });
      const others = privateFolders.filter((one) => one !== named);
      const changed = await updateSpace(spaceId, { privateFolders: isPrivate ? [...others, named] : others });
      queryClient.setQueryData(spaceQuery(spaceId).queryKey, changed);
    }
    toast((isPrivate ? messages.files.isNowPrivate : messages.files.isNowPublic)(path));
  } catch (error) {
    toast(errorMessage(error));
  }
  await queryClient.invalidateQueries({ queryKey: ['spaces'] });
}
