import { queryOptions, useQuery } from '@tanstack/react-query';
import { messages } from '../messages/en.ts';
import { isSpacePath, root } from './base.ts';
import { call } from './call.ts';
import { queryClient } from './query-client.ts';
import { sessionLost } from './session-state.ts';
import type { Answers } from './types.ts';

/** Rights of the signed-in person, here: in the library, or in the space of the page. */
export type Access = Answers['getAccess'];
export type Permission = Access['permissions'][number];

const STORED = 'darkroom-access ';

/** The last known rights are used until they are confirmed, so that pages appear without a request more. */
export const accessQuery = queryOptions({
  queryKey: ['access'],
  queryFn: ({ signal }) => readAccess(signal),
  staleTime: 60_000,
  gcTime: Number.POSITIVE_INFINITY,
  initialData: storedAccess,
  initialDataUpdatedAt: 0,
});

async function readAccess(signal: AbortSignal): Promise<Access> {
  for (;;) {
    const access = await call('getAccess', 'access', { signal });
    if (access.via !== null) {
      store(access);
      return access;
    }
    // The endpoint answers everyone: without a session it is no 401. A session of a host is none in other spaces.
    const session = await call('getSession', 'api/auth/get-session', { signal });
    if (session !== null) return access;
    await sessionLost(signal);
  }
}

/** Rights of the signed-in person; undefined until they are known. */
export function useAccess(): Access | undefined {
  return useQuery(accessQuery).data;
}

/** True if the role of the signed-in person includes a permission here. */
export function useCan(permission: Permission): boolean {
  return useAccess()?.permissions.includes(permission) ?? false;
}

/** True if the person could read here at the last visit. */
export function couldRead(): boolean {
  return storedAccess()?.permissions.includes('read') ?? false;
}

/** True for admins of the installation in its library: only there can they change what belongs to it. */
export function useIsInstallationAdmin(): boolean {
  const isAdmin = useCan('admin');
  return useSpace() === null && isAdmin;
}

/** The space of the page by its URL or host; null in the library. */
export function useSpace(): Access['space'] {
  return useAccess()?.space ?? null;
}

/** True at a host of a space, whose sessions are good there only. */
export function useIsAtSpaceHost(): boolean {
  return useSpace() !== null && !isSpacePath;
}

/** Name of the root folder: that of the library, or of the space. */
export function useRootName(): string {
  return useSpace()?.name ?? messages.shell.library;
}

/** Name of the root folder outside of components. */
export function rootName(): string {
  return queryClient.getQueryData(accessQuery.queryKey)?.space?.name ?? messages.shell.library;
}

/** Reads the rights of the person who has just signed in. */
export async function accessChanged(): Promise<void> {
  forgetAccess();
  await queryClient.cancelQueries({ queryKey: accessQuery.queryKey });
  await queryClient.fetchQuery({ ...accessQuery, staleTime: 0 }).catch(() => undefined);
}

function storedAccess(): Access | undefined {
  try {
    return JSON.parse(localStorage.getItem(STORED + root) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function store(access: Access): void {
  try {
    localStorage.setItem(STORED + root, JSON.stringify(access));
  } catch {
    // Without storage every visit reads the rights first.
  }
}

/** Deletes the stored rights of all spaces. */
export function forgetAccess(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(STORED)) localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}
