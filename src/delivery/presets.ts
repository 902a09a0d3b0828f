import type { UrlRules } from './url.ts';

/** What a segment begins with that names a preset. */
export const PRESET_PREFIX = 'n_';

/** The transformation that a segment `n_<name>` stands for; undefined when there is no preset of this name. */
export function presetOf(segment: string, presets: UrlRules['presets'] = {}): string | undefined {
  if (!segment.startsWith(PRESET_PREFIX)) return undefined;
  const name = segment.slice(PRESET_PREFIX.length);
  return Object.hasOwn(presets, name) ? presets[name] : undefined;
}

/** Whether a segment is a preset, by its name or word for word. */
export function isPreset(segment: string, presets: UrlRules['presets'] = {}): boolean {
  return presetOf(segment, presets) !== undefined || Object.values(presets).includes(segment);
}
