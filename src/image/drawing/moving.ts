import type { OpenImage } from '../decode.ts';
import type { Rectangle } from '../layout/geometry.ts';
import { checkFrames, type RenderLimits } from '../limits.ts';
import { framesMegabytes } from '../memory.ts';
import type { OpenLayer } from '../step.ts';
import { decodeFrames } from './decode-frames.ts';
import { drawFrames } from './draw-frames.ts';
import { encodeFrames } from './encode-frames.ts';
import { countFrames } from './frames.ts';
import type { Rendition } from './rendition.ts';

interface Film {
  /** A local file. */
  file: string;
  /** Its first frame. */
  original: OpenImage;
  /** Of each frame, where that is cut before it is drawn; undefined for all. */
  part: Rectangle | undefined;
}

/** All frames of a file, each drawn as a single image would be. */
export function moving({ file, original, part }: Film, limits: RenderLimits): Rendition {
  const count = countFrames(original);
  return {
    count,
    becomesSrgb: 'at once',
    check: (result) => checkFrames(count, 'result would have', result, limits),
    megabytes: (result) => framesMegabytes(count, original, result),
    over: drawnOnce,
    async render(chains, plan, order) {
      const frames = await decodeFrames(file, original, part);
      return encodeFrames(await drawFrames(frames, chains, plan), order);
    },
  };
}

/** A layer that lies over every frame and is drawn once. */
function drawnOnce(layer: OpenLayer): OpenLayer {
  let drawn: ReturnType<OpenLayer['draw']> | undefined;
  return {
    ...layer,
    draw() {
      drawn ??= layer.draw();
      return drawn;
    },
  };
}
