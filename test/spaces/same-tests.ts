import { afterAll, beforeAll, beforeEach, describe } from 'vitest';

/** Tests of the service that know nothing of spaces. */
export interface Suite {
  name: string;
  tests(): Promise<unknown>;
  /** True for tests that wait or render for long, and whose answers have no URLs: they enter by host alone. */
  isByHostAlone?: boolean;
  /** Tests that have a meaning in the library alone, by their names or those of their groups, each with the reason. */
  inLibraryOnly?: readonly (readonly [name: string | RegExp, reason: string])[];
  /** Tests that differ by host: there, URLs in answers begin at the root. */
  byPrefixOnly?: readonly string[];
}

/**
 * Runs suites inside a space: every service that they start has one, which their requests enter.
 * @param entrance how requests enter it: by its host, or by `/b/{space}`
 */
export function sameTestsInSpace(entrance: 'host' | 'prefix', suites: readonly Suite[]): void {
  const entering = suites.filter(({ isByHostAlone }) => entrance === 'host' || !isByHostAlone);
  describe.each(entering)(
    `$name, in a space by ${entrance}`,
    async ({ tests, inLibraryOnly = [], byPrefixOnly = [] }) => {
      beforeEach(({ skip, task }) => {
        const names = [task.name, task.suite?.name ?? ''];
        const found = inLibraryOnly.find(([name]) =>
          typeof name === 'string' ? names.includes(name) : name.test(task.name),
        );
        if (found) skip(found[1]);
        if (entrance === 'host' && byPrefixOnly.includes(task.name)) skip('By host, URLs begin at the root.');
      });
      beforeAll(() => {
        process.env.DARKROOM_TEST_ENTRANCE = entrance;
      });
      afterAll(() => {
        delete process.env.DARKROOM_TEST_ENTRANCE;
      });
      await tests();
    },
  );
}
