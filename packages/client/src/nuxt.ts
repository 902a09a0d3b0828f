import { type FrameworkOptions, optionsOf } from './framework-options.ts';
import type { Options } from './options.ts';
import { url } from './url.ts';

/** Modifiers of `NuxtImg`, and all options of Darkroom. */
export type NuxtModifiers = FrameworkOptions & Omit<Options, keyof FrameworkOptions>;

/**
 * Returns the URL of an image, as `@nuxt/image` requests it from a provider.
 * @param src path of a file in the library
 * @throws TypeError as `url`
 */
export function getImage(
  src: string,
  { modifiers = {}, baseURL }: { modifiers?: NuxtModifiers; baseURL?: string | undefined } = {},
): { url: string } {
  return { url: url(src, optionsOf(modifiers), baseURL) };
}

/** Provider, as `@nuxt/image` loads it. */
export default () => ({ getImage });
