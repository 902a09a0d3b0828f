import { type Config, ConfigError } from '../config.ts';
import { wrongPresets } from '../delivery/url.ts';
import type { Log } from '../log.ts';
import { type Fonts, openFonts } from '../render/fonts.ts';

/**
 * Finds the fonts, and returns the settings with the families that URLs may name.
 * @throws ConfigError when a preset names another family
 */
export async function findFamilies(given: Config, log: Log): Promise<{ fonts: Fonts; config: Config }> {
  const fonts = await openFonts(given.fonts);
  for (const problem of fonts.problems) log.warn(problem);
  const config = { ...given, limits: { ...given.limits, families: fonts.families } };
  const wrong = wrongPresets(config.limits);
  if (wrong.length > 0) throw new ConfigError(wrong);
  return { fonts, config };
}
