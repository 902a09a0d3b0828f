/** Transformations by name. */
export type Presets = Readonly<Record<string, string>>;

/** Prefix of a segment that names a preset. */
export const PRESET_PREFIX = 'n_';

/** Returns the transformation of a segment `n_<name>`; undefined if there is no such preset. */
export function presetOf(segment: string, presets: Presets = {}): string | undefined {
  if (!segment.startsWith(PRESET_PREFIX)) return undefined;
  const name = segment.slice(PRESET_PREFIX.length);
  return Object.hasOwn(presets, name) ? presets[name] : undefined;
}

/** True for a preset, by its name or its exact text. */
export function isPreset(segment: string, presets: Presets = {}): boolean {
  return presetOf(segment, presets) !== undefined || Object.values(presets).includes(segment);
}
