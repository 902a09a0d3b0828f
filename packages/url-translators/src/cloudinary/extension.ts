import { formatOf } from './delivery.ts';

/** Extensions of files that Darkroom does not write. */
const OTHER_EXTENSIONS =
  'heic heif psd tif tiff svg pdf bmp ico jp2 jxl wav glb gltf txt csv json zip ogv avi mkv m4v'.split(' ');

/** Splits an extension that names a format from the public ID; other extensions are part of the ID. */
export function splitExtension(path: string): { stem: string; extension: string } {
  const dot = path.lastIndexOf('.');
  const extension = path.slice(dot + 1);
  const isNamed = dot > path.lastIndexOf('/') + 1;
  const isKnown = extension !== 'auto' && formatOf(extension) !== undefined;
  if (!isNamed || !(isKnown || OTHER_EXTENSIONS.includes(extension.toLowerCase())))
    return { stem: path, extension: '' };
  return { stem: path.slice(0, dot), extension };
}
