import { variantPath } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { attributeText, boundedUrl, markdownText } from '../../components/markup.ts';
import { widthsOf } from '../../components/widths.ts';

export interface Snippet {
  name: 'url' | 'webp' | 'img' | 'picture' | 'markdown' | 'frame' | 'video';
  text: string;
}

/** Embed code of a file. @param root URL of the library, or of the space */
export function snippetsOf(
  asset: Pick<Asset, 'path' | 'kind' | 'alt' | 'width' | 'height' | 'problem'>,
  root: string,
): Snippet[] {
  const { path, kind, width, problem } = asset;
  const to = (transformation = '') => root + variantPath(path, transformation);
  const url: Snippet = { name: 'url', text: to() };
  // There are no variants of what cannot be decoded.
  if (problem !== null) return [url];
  if (kind === 'video')
    return [
      url,
      { name: 'frame', text: to('t_true,tt_1,w_1280,f_auto') },
      {
        name: 'video',
        text: `<video src="${to('w_1280')}" poster="${to('t_true,tt_1,w_1280,f_auto')}" controls></video>`,
      },
    ];
  if (kind !== 'image') return [url];
  return [
    url,
    ...(width !== null && width >= 800 ? [{ name: 'webp', text: to('w_800,f_auto') } as const] : []),
    { name: 'img', text: imgOf(asset, to) },
    { name: 'picture', text: pictureOf(asset, to) },
    {
      name: 'markdown',
      text: `![${markdownText(asset.alt ?? '')}](${boundedUrl(to(sized(width && Math.min(width, 1280))))})`,
    },
  ];
}

/** Transformation to a width; until that of the original is known, to none: nothing is enlarged. */
const sized = (width: number | null | undefined, format = 'auto') => (width ? `w_${width},f_${format}` : `f_${format}`);

type Pictured = Pick<Asset, 'alt' | 'width' | 'height'>;

function imgOf(asset: Pictured, to: (transformation: string) => string): string {
  const { alt, width, height } = asset;
  const widths = widthsIn(asset);
  const size = width !== null && height !== null ? ` width="${width}" height="${height}"` : '';
  const srcset = widths.length > 0 ? ` srcset="${srcsetOf(widths, 'auto', to)}" sizes="100vw"` : '';
  const src = to(sized(widths[Math.floor(widths.length / 2)]));
  return `<img src="${src}"${srcset}${size} alt="${attributeText(alt ?? '')}" loading="lazy">`;
}

/** Formats offered before the one that suits the browser, smallest first. */
const BETTER_FORMATS = ['avif', 'webp'];

function pictureOf(asset: Pictured, to: (transformation: string) => string): string {
  const widths = widthsIn(asset);
  const sources = BETTER_FORMATS.map((format) => {
    const srcset = widths.length > 0 ? srcsetOf(widths, format, to) : to(sized(null, format));
    const sizes = widths.length > 0 ? ' sizes="100vw"' : '';
    return `<source type="image/${format}" srcset="${srcset}"${sizes}>`;
  });
  return `<picture>${sources.join('')}${imgOf(asset, to)}</picture>`;
}

/** Empty until the width of the original is known. */
const widthsIn = ({ width }: Pictured): readonly number[] => (width === null ? [] : widthsOf(width));

function srcsetOf(widths: readonly number[], format: string, to: (transformation: string) => string): string {
  return widths.map((one) => `${to(sized(one, format))} ${one}w`).join(', ');
}
