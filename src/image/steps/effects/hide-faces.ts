import type { Focus } from '../../analysis/focus.ts';
import { turnFaces } from '../../analysis/place-by-faces.ts';
import { FinderUnavailable } from '../../failure.ts';
import type { Layout, Rectangle, Size } from '../../layout/geometry.ts';
import type { HeldImage, Redrawing, RenderPlan } from '../../step.ts';

/** The window of an oval and what is made of it. */
const BYTES_PER_PIXEL = 8;

/** Estimate of the CPU time, in ms for each megapixel of the image. */
export const HIDING_RATE = 20;

/**
 * Makes a face unknowable.
 * @param side of the face, in pixels. Gets a copy of the image around it, which it may change.
 */
export type Hide = (window: HeldImage, side: number) => HeldImage | Promise<HeldImage>;

/**
 * Hides the faces that were found, each within its oval; every pixel outside of them stays as it is. Undefined where
 * there is no face.
 * @throws FinderUnavailable if detection is unavailable: nothing is shown that should be hidden
 */
export function hideFaces({ analysis, layout }: RenderPlan, hide: Hide): Redrawing | undefined {
  const { content } = layout;
  if (analysis.faces && 'areFacesUnknown' in analysis.faces) {
    throw new FinderUnavailable('Faces cannot be found, so none can be hidden.');
  }
  const ovals = ovalsOf(analysis.faces, layout)
    .map((oval) => ({ oval, window: windowOf(oval, content) }))
    .filter(({ window }) => window.width > 0 && window.height > 0);
  if (ovals.length === 0) return undefined;
  const largest = Math.max(...ovals.map(({ window }) => window.width * window.height));
  return {
    megabytes: (largest * BYTES_PER_PIXEL) / 1e6,
    async redraw(image) {
      for (const { oval, window } of ovals) {
        const hidden = await hide(cut(image, window), 2 * Math.max(oval.across, oval.down));
        fill(image, hidden, window, oval);
      }
      return image;
    },
  };
}

/** The pixels that an oval touches, as far as they are in the image. */
function windowOf({ x, y, across, down }: Oval, { width, height }: Size): Rectangle {
  const left = Math.max(0, Math.floor(x - across));
  const top = Math.max(0, Math.floor(y - down));
  const right = Math.min(width, Math.ceil(x + across));
  const bottom = Math.min(height, Math.ceil(y + down));
  return { left, top, width: right - left, height: bottom - top };
}

function cut({ data, width, channels }: HeldImage, window: Rectangle): HeldImage {
  const row = window.width * channels;
  const copy = Buffer.alloc(row * window.height);
  for (let y = 0; y < window.height; y++) {
    const from = ((window.top + y) * width + window.left) * channels;
    data.copy(copy, y * row, from, from + row);
  }
  return { data: copy, width: window.width, height: window.height, channels };
}

/** Takes over the pixels whose middle is in the oval. */
function fill({ data, width, channels }: HeldImage, hidden: HeldImage, { left, top }: Rectangle, oval: Oval): void {
  for (let y = 0; y < hidden.height; y++) {
    const away = (top + y + 0.5 - oval.y) / oval.down;
    if (Math.abs(away) >= 1) continue;
    const half = oval.across * Math.sqrt(1 - away ** 2);
    const first = Math.max(0, Math.ceil(oval.x - half - 0.5) - left);
    const end = Math.min(hidden.width, Math.floor(oval.x + half - 0.5) + 1 - left);
    if (end <= first) continue;
    const from = (y * hidden.width + first) * channels;
    hidden.data.copy(data, ((top + y) * width + left + first) * channels, from, from + (end - first) * channels);
  }
}

/** Ratio of an oval to the face in it. */
const MARGIN = 1.3;

/** The oval around a face, in pixels of the content. */
interface Oval {
  x: number;
  y: number;
  /** Half of its width, and of its height. */
  across: number;
  down: number;
}

/** Maps faces of the upright image into the content. Some may lie beyond its edges. */
function ovalsOf(focus: Focus | undefined, layout: Layout): Oval[] {
  if (!focus || !('faces' in focus)) return [];
  const { upright, turned, area: visible, content, angle: degrees, isMirrored } = layout;
  const scaleX = content.width / visible.width;
  const scaleY = content.height / visible.height;
  return turnFaces(focus.faces, upright, { isMirrored, degrees }).map(({ left, top, width, height }) => ({
    x: ((left + width / 2) * turned.width - visible.left) * scaleX,
    y: ((top + height / 2) * turned.height - visible.top) * scaleY,
    across: (width / 2) * turned.width * scaleX * MARGIN,
    down: (height / 2) * turned.height * scaleY * MARGIN,
  }));
}
