import { defineStep, type ImageStep } from '../../step.ts';

/** No effect is free: its CPU time is estimated, that of all effects on colours together. */
type Estimated<Name extends string, T> =
  | (ImageStep<Name, T> & Required<Pick<ImageStep<Name, T>, 'contentRate'>>)
  | (ImageStep<Name, T> & Required<Pick<ImageStep<Name, T>, 'colours'>>);

/** Declares an effect of the URL language: `e_` and its name, with its value after a colon. */
export function defineEffect<const Name extends string, T>(
  effect: Estimated<Name, T> & { key: `e_${string}` },
): ImageStep<Name, T> {
  return defineStep({ ...effect, separator: ':', isLate: () => true });
}
