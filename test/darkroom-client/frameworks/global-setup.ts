import type { TestProject } from 'vitest/node';
import { type PackagesForTests, preparePackages } from '../../packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    frameworks: PackagesForTests;
  }
}

/** Installs the frameworks for which the client has loaders. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('frameworks', await preparePackages(import.meta.dirname, 'frameworks'));
}
