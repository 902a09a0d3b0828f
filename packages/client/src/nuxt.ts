import { type Asked, optionsOf } from './asked.ts';
import type { Options } from './options.ts';
import { url } from './url.ts';

/** The modifiers of `NuxtImg`, and all options of Darkroom. */
export type NuxtModifiers = Asked & Omit<Options, keyof Asked>;

/**
 * The address of a picture, as `@nuxt/image` asks a provider for it.
 * @param src the path of a file in the library
 * @throws TypeError as `url`
 */
export function getImage(
  src: string,
  { modifiers = {}, baseURL }: { modifiers?: NuxtModifiers; baseURL?: string | undefined } = {},
): { url: string } {
  return { url: url(src, optionsOf(modifiers), baseURL) };
}

/** The provider, as `@nuxt/image` loads it. */
export default () => ({ getImage });
