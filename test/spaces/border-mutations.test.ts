import { expect, test, vi } from 'vitest';
import type { Services } from '../../src/library-services.ts';
import {
  type Bordered,
  changesOutside,
  type HostileRequest,
  hostileRequests,
  isOfLibrary,
  leakOf,
  openBordered,
} from './bordered.ts';
import { OWN_CHECKS } from './own-checks.ts';

/** The view that is missing: in a space the library's own part stands in its place. */
const mutation = vi.hoisted(() => ({ missing: '' }));

vi.mock('../../src/space-services.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/space-services.ts')>();
  return {
    ...original,
    openSpaceServices: (...args: Parameters<typeof original.openSpaceServices>): Services => {
      const services = original.openSpaceServices(...args);
      const { missing } = mutation;
      return args[2].space.id === 'mine' && missing in services
        ? { ...services, [missing]: args[0][missing as keyof Services] }
        : services;
    },
  };
});

/**
 * Requests in which a missing view shows soonest, by the begin of their paths. They are only sent first: all others
 * follow if nothing shows.
 */
const SEEN_BY: Readonly<Record<string, string>> = {
  webhooks: '/webhooks',
  keyring: '/api-keys',
  catalog: '/assets',
  queue: '/queue',
  listing: '/storage',
  library: '/storage',
  assets: '/assets',
  trash: '/trash',
  stats: '/storage/usage',
};

/** @returns the first thing that shows that the border is open; undefined if all checks pass */
async function firstFailure(bordered: Bordered, seenBy: string | undefined): Promise<string | undefined> {
  const requests = [...hostileRequests(bordered)];
  const first = seenBy === undefined ? [] : requests.filter(({ target }) => target.startsWith(seenBy));
  const changes = async () => (await changesOutside(bordered))[0];
  for (const check of [
    () => hostile(bordered, first),
    () => own(bordered),
    () => hostile(bordered, requests),
    changes,
  ]) {
    const failure = await check();
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function hostile(bordered: Bordered, requests: readonly HostileRequest[]): Promise<string | undefined> {
  for (const request of requests) {
    for (const prefix of ['', '/b/mine']) {
      const leak = isOfLibrary(prefix, request) ? undefined : await leakOf(bordered, prefix, request);
      if (leak !== undefined) return leak;
    }
  }
  return undefined;
}

async function own(bordered: Bordered): Promise<string | undefined> {
  for (const check of Object.values(OWN_CHECKS)) {
    const failure = await check(bordered);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/**
 * Parts that open nothing by themselves: `findOriginal` reads by a function of its caller; variants are found by keys
 * that contain the outer path; `hasBytes` only tells whether an upload equals a file; of `sync`, requests see only the
 * progress, which is that of the installation.
 */
const HARMLESS: readonly string[] = ['findOriginal', 'variants', 'transcodes', 'playlists', 'hasBytes', 'sync'];

/** The members of a space that are not the library's. */
async function viewNames(): Promise<string[]> {
  const { service } = await openBordered();
  const { services } = service;
  const space = services.spaces.find('mine');
  if (!space) throw new Error('The space is missing.');
  const views = services.openSpace({ space, entrance: 'prefix' });
  const names = (Object.keys(views) as (keyof Services)[]).filter(
    (name) => views[name] !== services[name] && !HARMLESS.includes(name),
  );
  await service.close();
  return names;
}

test.each(await viewNames())('without its view of "%s", a space is open', async (name) => {
  mutation.missing = name;
  const bordered = await openBordered();
  try {
    expect(await firstFailure(bordered, SEEN_BY[name])).toEqual(expect.any(String));
  } finally {
    mutation.missing = '';
    await bordered.service.close();
  }
});
