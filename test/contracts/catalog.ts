import { afterEach, beforeEach, describe } from 'vitest';
import type { CatalogBench } from './catalog/bench.ts';
import { identifying } from './catalog/identity.ts';
import { keeping } from './catalog/kept.ts';
import { listing } from './catalog/listing.ts';
import { pathSearching } from './catalog/path-search.ts';
import { redirecting } from './catalog/redirecting.ts';
import { searching } from './catalog/search.ts';
import { using } from './catalog/usage.ts';
import { wording } from './catalog/words.ts';

/** Tests of every catalog store. `create` returns an empty one. */
export function catalogContract(name: string, create: () => Promise<CatalogBench>): void {
  describe(`${name} as a catalog`, () => {
    let current: CatalogBench;
    const bench = () => current;
    beforeEach(async () => {
      current = await create();
    });
    afterEach(() => current.close());

    describe('identity', () => identifying(bench));
    describe('a listing', () => listing(bench));
    describe('usage', () => using(bench));
    describe('words', () => wording(bench));
    describe('a search', () => searching(bench));
    describe('a search of paths', () => pathSearching(bench));
    describe('what is kept', () => keeping(bench));
    describe('redirects', () => redirecting(bench));
  });
}
