import { HttpProblem } from '../errors.ts';
import { MEDIA_TYPES } from '../media.ts';
import { readTransformation, type UrlRules } from './url.ts';

const PREFIX = 'n_';

/** The transformation that a segment `n_<name>` stands for; undefined when there is no preset of this name. */
export function presetOf(segment: string, presets: UrlRules['presets'] = {}): string | undefined {
  if (!segment.startsWith(PREFIX)) return undefined;
  const name = segment.slice(PREFIX.length);
  return Object.hasOwn(presets, name) ? presets[name] : undefined;
}

/** Whether a segment is a preset, by its name or word for word. */
export function isPreset(segment: string, presets: UrlRules['presets'] = {}): boolean {
  return presetOf(segment, presets) !== undefined || Object.values(presets).includes(segment);
}

/** One line for each preset that is a transformation of neither a picture nor a video. */
export function wrongPresets(rules: UrlRules): string[] {
  return Object.entries(rules.presets ?? {}).flatMap(([name, segment]) => {
    const reasons = MEDIA_TYPES.filter(({ kind }) => kind === 'image' || kind === 'video').map((type) => {
      try {
        return readTransformation(segment, type, { ...rules, presets: {} }) ? undefined : `expected a transformation, received "${segment}"`;
      } catch (error) {
        if (error instanceof HttpProblem) return error.message;
        throw error;
      }
    });
    return reasons.includes(undefined) ? [] : [`PRESETS: ${name}: ${reasons[0]}`];
  });
}
