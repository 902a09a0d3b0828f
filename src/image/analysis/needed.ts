import type { ImageStep } from '../step.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';
import type { AnalysisSpec } from './analysis.ts';

const STEPS: readonly ImageStep<string, unknown>[] = imageSteps;

/** Returns the analyses that the steps of a render need. */
export function analysesNeeded(options: ImageOptions): AnalysisSpec[] {
  const values: Readonly<Record<string, unknown>> = options;
  const needed = STEPS.flatMap((step) => {
    const value = values[step.name];
    return (value !== undefined && step.needs?.(value)) || [];
  });
  return [...new Map(needed.map((analysis) => [analysis.kind, analysis])).values()];
}
