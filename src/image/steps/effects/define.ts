import { defineStep, type ImageStep } from '../../step.ts';

/** Declares an effect of the URL language: `e_` and its name, with its value after a colon. */
export function defineEffect<const Name extends string, T>(
  effect: ImageStep<Name, T> & { key: `e_${string}` },
): ImageStep<Name, T> {
  return defineStep({ ...effect, separator: ':', isLate: () => true });
}
