import { variantPath } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { attributeText, boundedUrl, markdownText } from '../../components/markup.ts';

export interface Snippet {
  name: 'url' | 'webp' | 'img' | 'markdown' | 'frame' | 'video';
  text: string;
}

/** Widths in `srcset`. */
const WIDTHS = [320, 640, 960, 1280, 1920, 2560];

/** Embed code of a file. @param root URL of the library, or of the space */
export function snippetsOf(
  asset: Pick<Asset, 'path' | 'kind' | 'alt' | 'title' | 'width' | 'height' | 'problem'>,
  root: string,
): Snippet[] {
  const { path, kind, problem } = asset;
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
    { name: 'webp', text: to('w_800,f_auto') },
    { name: 'img', text: imgOf(asset, to) },
    { name: 'markdown', text: `![${markdownText(asset.alt ?? '')}](${boundedUrl(to('w_1280,f_auto'))})` },
  ];
}

function imgOf(
  { alt, width, height }: Pick<Asset, 'alt' | 'width' | 'height'>,
  to: (transformation: string) => string,
): string {
  const fitting = WIDTHS.filter((one) => width === null || one <= width);
  const widths = fitting.length > 0 ? fitting : [width ?? 320];
  const sources = widths.map((one) => `${to(`w_${one},f_auto`)} ${one}w`).join(', ');
  const size = width !== null && height !== null ? ` width="${width}" height="${height}"` : '';
  const middle = widths[Math.floor(widths.length / 2)];
  return `<img src="${to(`w_${middle},f_auto`)}" srcset="${sources}" sizes="100vw"${size} alt="${attributeText(alt ?? '')}" loading="lazy">`;
}
