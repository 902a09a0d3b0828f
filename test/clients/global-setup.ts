import type { TestProject } from 'vitest/node';
import { type PackagesForTests, preparePackages } from '../packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clients: PackagesForTests;
  }
}

/** Installs the client generators, and the linter of OpenAPI documents. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('clients', await preparePackages(import.meta.dirname, 'generated clients'));
}
