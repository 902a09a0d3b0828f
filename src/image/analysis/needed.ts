import type { ImageStep } from '../step.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';
import type { Finding } from './findings.ts';

const STEPS: readonly ImageStep<string, unknown>[] = imageSteps;

/** Returns the analyses that the steps of a render need. */
export function findingsNeeded(options: ImageOptions): Finding[] {
  const values: Readonly<Record<string, unknown>> = options;
  const needed = STEPS.flatMap((step) => {
    const value = values[step.name];
    return (value !== undefined && step.needs?.(value)) || [];
  });
  return [...new Map(needed.map((finding) => [finding.kind, finding])).values()];
}
