import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Interleaves the files of all projects: while some wait for servers and browsers, others compute. Vitest itself runs
 * projects one after another. Files that share processes stay together at the end, or each would get its own process.
 */
export class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...Map.groupBy(sorted, ({ project }) => project).entries()];
    return projects
      .flatMap(([{ config }, specifications]) =>
        specifications.map((specification, index) => ({
          specification,
          /** Relative position, between 0 and 1. */
          place: config.isolate ? (index + 0.5) / specifications.length : 1,
        })),
      )
      .sort((a, b) => a.place - b.place)
      .map(({ specification }) => specification);
  }
}
