import { type LoaderSettings, optionsOf } from './framework-options.ts';
import { url } from './url.ts';

/**
 * Loader for `next/image`, whose `src` is the path of a file in the library.
 * @throws TypeError as `url`, when it is called
 */
export function nextLoader({ base, options }: LoaderSettings) {
  return ({ src, width, quality }: { src: string; width: number; quality?: number | undefined }): string =>
    url(src, { ...options, ...optionsOf({ width, quality }) }, base);
}
