import { afterAll, beforeAll, beforeEach, describe } from 'vitest';

/**
 * Runs tests of the service that know nothing of spaces inside one: every service that they start has a space, to which
 * its URL leads.
 * @param entrance how requests enter it: by its host, or by `/b/{space}`
 */
export function sameTestsInSpace(
  entrance: 'host' | 'prefix',
  name: string,
  tests: () => Promise<unknown>,
  inLibraryOnly: readonly string[] = [],
): void {
  describe(`${name}, by ${entrance}`, async () => {
    beforeEach(({ skip, task }) => {
      if (inLibraryOnly.includes(task.name)) skip('It is about the library.');
    });
    beforeAll(() => {
      process.env.DARKROOM_TEST_ENTRANCE = entrance;
    });
    afterAll(() => {
      delete process.env.DARKROOM_TEST_ENTRANCE;
    });
    await tests();
  });
}
