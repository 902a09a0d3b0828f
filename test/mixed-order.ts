import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files of all projects evenly mixed: while some wait for servers and browsers, others compute. Vitest itself runs one project
 * after another. Files that share processes stay together at the end, or each would get a process of its own.
 */
export class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...Map.groupBy(sorted, ({ project }) => project).entries()];
    return projects
      .flatMap(([{ config }, specifications]) =>
        specifications.map((specification, index) => ({
          specification,
          /** Between 0 and 1. */
          place: config.isolate ? (index + 0.5) / specifications.length : 1,
        })),
      )
      .sort((a, b) => a.place - b.place)
      .map(({ specification }) => specification);
  }
}
