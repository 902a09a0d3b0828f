/** Names of formats whose extension is another one. */
const FORMATS: Readonly<Record<string, string>> = {
  jpg: 'JPEG',
  jpe: 'JPEG',
  jfif: 'JPEG',
  tif: 'TIFF',
  webp: 'WebP',
  webm: 'WebM',
  htm: 'HTML',
  md: 'Markdown',
  txt: 'Text',
};

/** Name of a format as people call it: `JPEG`, `PSD`. @param extension without the dot */
export const formatName = (extension: string): string => FORMATS[extension.toLowerCase()] ?? extension.toUpperCase();

/** Name of the format that the extension of a file names. */
export const formatNameOf = (name: string): string => formatName(name.slice(name.lastIndexOf('.') + 1));
