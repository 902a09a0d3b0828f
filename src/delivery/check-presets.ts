import { HttpProblem } from '../errors.ts';
import { MEDIA_TYPES } from '../media.ts';
import { readTransformation, type UrlRules } from './url.ts';

/** Returns one line per preset that is a transformation of neither images nor videos. */
export function wrongPresets(rules: UrlRules): string[] {
  return Object.entries(rules.presets ?? {}).flatMap(([name, segment]) => {
    const reasons = MEDIA_TYPES.filter(({ kind }) => kind === 'image' || kind === 'video').map((type) => {
      try {
        return readTransformation(segment, type, { ...rules, presets: {} })
          ? undefined
          : `expected a transformation, received "${segment}"`;
      } catch (error) {
        if (error instanceof HttpProblem) return error.message;
        throw error;
      }
    });
    return reasons.includes(undefined) ? [] : [`PRESETS: ${name}: ${reasons[0]}`];
  });
}
