import { type FrameworkOptions, optionsOf } from './framework-options.ts';
import type { Options } from './options.ts';
import { readUrl } from './read.ts';
import { fail, url } from './url.ts';

/** Operations of unpic, and all options of Darkroom. */
export type DarkroomOperations = FrameworkOptions & Omit<Options, keyof FrameworkOptions>;

export interface DarkroomOptions {
  /** URL of the service: `https://media.example.com`. */
  base?: string | undefined;
}

/** Returns the URL of an image. @param src path of a file in the library @throws TypeError as `url` */
export function generate(src: string | URL, operations: DarkroomOperations, options: DarkroomOptions = {}): string {
  return url(`${src}`, optionsOf(operations), options.base);
}

/** Parses a URL of Darkroom; null for others, and for those with layers or presets. */
export function extract(
  address: string | URL,
  options: DarkroomOptions = {},
): { src: string; operations: Options; options: DarkroomOptions } | null {
  const written = `${address}`;
  // Responses of the service contain URLs without a host.
  const read = written.startsWith('/t/') ? readUrl(written, '') : readUrl(written, options.base);
  return read ? { src: read.path, operations: read.options, options: { base: read.base || options.base } } : null;
}

/**
 * Returns the URL of an image: the `transformer` of unpic's components.
 * @param src path of a file in the library, or a URL of Darkroom, whose transformation is the default
 * @throws TypeError as `url`, and for a URL that is not of Darkroom, or has layers or a preset
 */
export function transform(src: string | URL, operations: DarkroomOperations, options: DarkroomOptions = {}): string {
  const written = `${src}`;
  const isAddress = /^[a-z]+:/i.test(written);
  const read = isAddress || written.startsWith('/') ? extract(written, options) : null;
  if (isAddress && !read) fail('src', 'a path, or an address of Darkroom without layers', written);
  return read
    ? generate(read.src, { ...read.operations, ...optionsOf(operations) }, read.options)
    : generate(written, operations, options);
}
