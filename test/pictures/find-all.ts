import { readFile, rm } from 'node:fs/promises';
import type { AnalysisResults } from '../../src/image/analysis/analysis.ts';
import { analyse, createFinders } from '../../src/image/analysis/find.ts';
import { analysesNeeded } from '../../src/image/analysis/needed.ts';
import type { InputLimits } from '../../src/image/input.ts';
import type { ImageOptions } from '../../src/image/steps/index.ts';

const LIMITS: InputLimits = { inputMegapixels: 100, animationFrames: 1000 };
const finders = createFinders();

/**
 * Analyses a file for a render, like the service.
 * @param output a file that does not exist yet
 */
export async function findAll(input: string, options: ImageOptions, output: string): Promise<AnalysisResults> {
  const found: [string, unknown][] = [];
  for (const finding of analysesNeeded(options)) {
    const { outcome } = await analyse({ input, output, analysis: finding, limits: LIMITS }, finders);
    if (outcome !== 'found') continue;
    found.push([finding.kind, JSON.parse(await readFile(output, 'utf8'))]);
    await rm(output);
  }
  return Object.fromEntries(found);
}
