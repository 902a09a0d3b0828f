import type { TestProject } from 'vitest/node';
import { type PackagesForTests, preparePackages } from '../packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    verifier: PackagesForTests;
  }
}

/** Installs the verifier of Standard Webhooks. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('verifier', await preparePackages(import.meta.dirname, 'webhooks'));
}
