import { expect, test, vi } from 'vitest';
import type { Services } from '../../src/library-services.ts';
import { type Bordered, changesOutside, hostileRequests, isOfLibrary, leakOf, openBordered } from './bordered.ts';
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

/** @returns the first thing that shows that the border is open; undefined if all checks pass */
async function firstFailure(bordered: Bordered): Promise<string | undefined> {
  for (const check of [own, hostile, () => changesOutside(bordered).then(([change]) => change)]) {
    const failure = await check(bordered);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function hostile(bordered: Bordered): Promise<string | undefined> {
  for (const request of hostileRequests(bordered)) {
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
    expect(await firstFailure(bordered)).toEqual(expect.any(String));
  } finally {
    mutation.missing = '';
    await bordered.service.close();
  }
});
