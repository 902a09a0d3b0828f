import type { TestProject } from 'vitest/node';
import { type PackagesForTests, preparePackages } from '../../packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    mcp: PackagesForTests;
  }
}

/** Installs the official client of the Model Context Protocol. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('mcp', await preparePackages(import.meta.dirname, '"darkroom mcp"'));
}
