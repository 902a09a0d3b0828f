import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { Answers } from './types.ts';

export type Tag = Answers['listTags']['tags'][number];

/** All tags with their number of files, by name. */
export const tagsQuery = queryOptions({
  // A change of files may change tags.
  queryKey: ['files', 'tags'],
  queryFn: async ({ signal }) => (await call('listTags', 'tags', { signal })).tags,
});

/** Renames a tag on all files, or merges it into an existing one. */
export const renameTag = (tag: string, name: string) =>
  call('renameTag', `tags/${encodeURIComponent(tag)}`, { method: 'PATCH', json: { name } });

/** Removes a tag from all files. */
export const deleteTag = (tag: string) => call('deleteTag', `tags/${encodeURIComponent(tag)}`, { method: 'DELETE' });
