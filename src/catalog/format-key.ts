import { extensionOf } from '../path.ts';

/** Formats of extensions that have another name. */
export const FORMATS: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  jpe: 'jpeg',
  jfif: 'jpeg',
  tif: 'tiff',
  htm: 'html',
  md: 'markdown',
  txt: 'text',
};

/**
 * Sort key of a file's format, as lists name it: `jpeg`, `psd`, `mp4`; `document` without an extension. Equals `FORMAT`
 * of migration 011, which contracts of the catalog check.
 */
export function formatKeyOf(path: string): string {
  const extension = extensionOf(path);
  if (!/^[a-z0-9]{1,6}$/.test(extension)) return 'document';
  return FORMATS[extension] ?? extension;
}
