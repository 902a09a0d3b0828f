import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import type { Answers } from './types.ts';

export type Tag = Answers['listTags']['tags'][number];

/** All tags with their number of files, by name. */
export const tagsQuery = queryOptions({
  // A change of files may change tags.
  queryKey: ['files', 'tags'],
  queryFn: async ({ signal }) => (await call('listTags', 'tags', { signal })).tags,
});

/** All tags for the suggestions of a field. They are requested when it is used first. */
export function useExistingTags(): { existing: readonly Tag[]; onOpen(): void } {
  const [isOpened, setOpened] = useState(false);
  const { data = [] } = useQuery({ ...tagsQuery, enabled: isOpened });
  return { existing: data, onOpen: useCallback(() => setOpened(true), []) };
}

/** Number of files with a tag. After a merge it is no sum: files that had both tags have one. */
export async function countOf(name: string): Promise<number> {
  const tags = await queryClient.fetchQuery({ ...tagsQuery, staleTime: 0 });
  return tags.find(({ tag }) => tag === name)?.count ?? 0;
}

/** Renames a tag on all files, or merges it into an existing one. */
export const renameTag = (tag: string, name: string) =>
  call('renameTag', `tags/${encodeURIComponent(tag)}`, { method: 'PATCH', json: { name } });

/** Removes a tag from all files. */
export const deleteTag = (tag: string) => call('deleteTag', `tags/${encodeURIComponent(tag)}`, { method: 'DELETE' });
