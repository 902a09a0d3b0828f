/** Transformations by the names that URLs may ask for them under. */
export type Presets = Readonly<Record<string, string>>;

/** The beginning of a segment that names a preset. */
export const PRESET_PREFIX = 'n_';

/** The transformation that a segment `n_<name>` stands for; undefined when there is no preset of this name. */
export function presetOf(segment: string, presets: Presets = {}): string | undefined {
  if (!segment.startsWith(PRESET_PREFIX)) return undefined;
  const name = segment.slice(PRESET_PREFIX.length);
  return Object.hasOwn(presets, name) ? presets[name] : undefined;
}

/** Whether a segment is a preset, by its name or word for word. */
export function isPreset(segment: string, presets: Presets = {}): boolean {
  return presetOf(segment, presets) !== undefined || Object.values(presets).includes(segment);
}
