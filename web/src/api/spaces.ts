import { queryOptions } from '@tanstack/react-query';
import { dayOf } from '../components/day.ts';
import { messages } from '../messages/en.ts';
import { dashboardOf, queryOf } from './base.ts';
import { call } from './call.ts';
import { ApiError } from './error.ts';
import { queryClient } from './query-client.ts';
import { LIBRARY } from './space-path.ts';
import type { Space as StoredSpace } from './types.ts';

export { LIBRARY };
export type Space = StoredSpace;

/** The library, or the name of a space. */
export function spaceLabel({ id, name }: Pick<Space, 'id' | 'name'>): string {
  return id === LIBRARY ? messages.shell.library : name;
}

/** Page of a space, or of the library. The address bar shows the space, so every space is a document of its own. */
export function pageOfSpace({ id }: Pick<Space, 'id'>): string {
  return dashboardOf(id === LIBRARY ? undefined : id);
}

/** Rules of a request: null is that of the installation, an absent one stays. */
export type SpacePatch = {
  [Name in Exclude<keyof Space, 'id' | 'folder' | 'createdAt' | 'quota' | 'rateLimit'>]?: Space[Name] | null;
} & {
  quota?: Space['quota'];
  rateLimit?: Space['rateLimit'];
  addPrivateFolders?: string[];
  removePrivateFolders?: string[];
};

export interface NewSpace {
  id: string;
  name?: string;
  folder?: string;
}

/** Spaces that the signed-in person may enter, the library first. At the host of a space only itself. */
export const spacesQuery = queryOptions({
  queryKey: ['spaces', 'mine'],
  queryFn: async ({ signal }): Promise<readonly Space[]> => {
    try {
      return (await call('listSpaces', 'spaces', { signal, isForInstallation: true })).spaces;
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return [];
      throw error;
    }
  },
  staleTime: 60_000,
});

const pathOf = (id: string) => `spaces/${encodeURIComponent(id)}`;

/** A space with its rules: one of the library's, or that of the page. */
export const spaceQuery = (id: string) =>
  queryOptions({
    queryKey: ['spaces', 'one', id],
    queryFn: async ({ signal }): Promise<Space> => (await call('getSpace', pathOf(id), { signal })).space,
  });

/**
 * Stored bytes, and bytes delivered in this month, with their limits.
 * @param id of a space seen from the library; undefined for the library, or the space of the page
 */
export const quotaQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['spaces', 'quota', id ?? ''],
    queryFn: async ({ signal }) => {
      const today = dayOf(Date.now());
      const base = id === undefined ? '' : `b/${encodeURIComponent(id)}/`;
      return (await call('readUsage', `${base}usage${queryOf({ from: today, to: today })}`, { signal })).quota;
    },
    staleTime: 30_000,
  });

/** The secret in the response is shown only once. */
export const createSpace = (space: NewSpace) => call('createSpace', 'spaces', { method: 'POST', json: space });

/** Queries that follow from the rules of a space. */
const AFFECTED = [['spaces', 'mine'], ['spaces', 'quota'], ['access'], ['limits'], ['transformations']];

/** Changes rules of a space, and shows them everywhere. */
export async function saveSpace(id: string, patch: SpacePatch): Promise<void> {
  const { space } = await call('updateSpace', pathOf(id), { method: 'PATCH', json: patch });
  queryClient.setQueryData(spaceQuery(id).queryKey, space);
  await Promise.all(AFFECTED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Makes a folder of a space private, or public again. The server changes its list, which a move may have changed. */
export const setPrivate = (id: string, folder: string, isPrivate: boolean) =>
  saveSpace(id, isPrivate ? { addPrivateFolders: [folder] } : { removePrivateFolders: [folder] });

/** @param keepFor seconds for which the previous secret still verifies */
export const rotateSpaceSecret = (id: string, keepFor: number) =>
  call('rotateSpaceSecret', `${pathOf(id)}/rotate-secret`, { method: 'POST', json: { keepFor } });

/** @param files `trash` moves its files to the trash of the library */
export const deleteSpace = (id: string, files: 'keep' | 'trash') =>
  call('deleteSpace', `${pathOf(id)}${queryOf({ files })}`, { method: 'DELETE' });
