import { formatOf } from './delivery.ts';

/** Formats of files that a name can end in and that Darkroom writes none of. */
const OTHER_EXTENSIONS =
  'heic heif psd tif tiff svg pdf bmp ico jp2 jxl wav glb gltf txt csv json zip ogv avi mkv m4v'.split(' ');

/** Parts an extension that names a format from what Cloudinary calls the public ID; one that names none is a part of that. */
export function splitExtension(path: string): { stem: string; extension: string } {
  const dot = path.lastIndexOf('.');
  const extension = path.slice(dot + 1);
  const isNamed = dot > path.lastIndexOf('/') + 1;
  const isKnown = extension !== 'auto' && formatOf(extension) !== undefined;
  if (!isNamed || !(isKnown || OTHER_EXTENSIONS.includes(extension.toLowerCase())))
    return { stem: path, extension: '' };
  return { stem: path.slice(0, dot), extension };
}
