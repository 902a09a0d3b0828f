import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type PackagesForTests, preparePackages } from '../packages.ts';
import { ROOT } from '../source-files.ts';

declare module 'vitest' {
  interface ProvidedContext {
    site: PackagesForTests;
  }
}

/** Installs the build tools of the documentation site. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('site', await preparePackages(join(ROOT, 'site'), 'the site'));
}
