import { variantPath } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { attributeText, boundedUrl, markdownText } from '../../components/markup.ts';

export interface Snippet {
  name: 'url' | 'webp' | 'img' | 'picture' | 'markdown' | 'frame' | 'video';
  text: string;
}

/** Widths in `srcset`. */
const WIDTHS = [320, 640, 960, 1280, 1920, 2560];

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
    ...(width === null || width >= 800 ? [{ name: 'webp', text: to('w_800,f_auto') } as const] : []),
    { name: 'img', text: imgOf(asset, to) },
    { name: 'picture', text: pictureOf(asset, to) },
    {
      name: 'markdown',
      text: `![${markdownText(asset.alt ?? '')}](${boundedUrl(to(`w_${Math.min(width ?? 1280, 1280)},f_auto`))})`,
    },
  ];
}

function imgOf(
  { alt, width, height }: Pick<Asset, 'alt' | 'width' | 'height'>,
  to: (transformation: string) => string,
): string {
  const widths = widthsOf(width);
  const size = width !== null && height !== null ? ` width="${width}" height="${height}"` : '';
  const middle = widths[Math.floor(widths.length / 2)];
  return `<img src="${to(`w_${middle},f_auto`)}" srcset="${srcsetOf(widths, 'auto', to)}" sizes="100vw"${size} alt="${attributeText(alt ?? '')}" loading="lazy">`;
}

/** Formats offered before the one that suits the browser, smallest first. */
const BETTER_FORMATS = ['avif', 'webp'];

function pictureOf(asset: Pick<Asset, 'alt' | 'width' | 'height'>, to: (transformation: string) => string): string {
  const widths = widthsOf(asset.width);
  const sources = BETTER_FORMATS.map(
    (format) => `<source type="image/${format}" srcset="${srcsetOf(widths, format, to)}" sizes="100vw">`,
  );
  return `<picture>${sources.join('')}${imgOf(asset, to)}</picture>`;
}

/** Widths below that of the original, and its own: nothing is enlarged, and full size is there. */
function widthsOf(width: number | null): readonly number[] {
  if (width === null) return WIDTHS;
  const own = Math.min(width, WIDTHS.at(-1) ?? width);
  return [...WIDTHS.filter((one) => one < own), own];
}

function srcsetOf(widths: readonly number[], format: string, to: (transformation: string) => string): string {
  return widths.map((one) => `${to(`w_${one},f_${format}`)} ${one}w`).join(', ');
}
