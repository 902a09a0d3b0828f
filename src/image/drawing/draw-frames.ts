import type { Sharp } from 'sharp';
import type { Size } from '../layout/geometry.ts';
import type { HeldImage, RenderPlan } from '../step.ts';
import { type Chain, changeNothing, drawChains, holdImage, imageOf } from './chains.ts';
import type { Frames } from './frames.ts';

/** Draws each frame as a single image would be drawn. */
export async function drawFrames(
  frames: Frames,
  chains: readonly Chain[],
  { layout: { output }, hasAlpha }: RenderPlan,
): Promise<Frames> {
  if (changeNothing(chains)) return frames;
  return mapFrames(frames, output, (image) => drawChains(image, chains, hasAlpha));
}

/**
 * Changes each frame in the same way, one after the other. Results that are no larger replace the frames that they were
 * made of.
 * @param size of the results
 */
export async function mapFrames(
  frames: Frames,
  size: Size,
  change: (image: Sharp) => Sharp | Promise<Sharp>,
): Promise<Frames> {
  const { data, size: before, channels, delays } = frames;
  const bytes = before.width * before.height * channels;
  let drawn = frames;
  for (let index = 0; index < delays.length; index++) {
    const image = imageOf({ data: data.subarray(index * bytes, (index + 1) * bytes), ...before, channels });
    const result = await holdImage(await change(image), size);
    if (index === 0) drawn = { ...frames, ...placesFor(result, size, frames) };
    result.data.copy(drawn.data, index * result.data.length);
  }
  return drawn;
}

/** Reserves memory for all frames, by the size of the first one. */
function placesFor(
  { channels, data }: HeldImage,
  size: Size,
  frames: Frames,
): Pick<Frames, 'data' | 'size' | 'channels'> {
  const bytes = data.length * frames.delays.length;
  if (channels < 3 || data.length !== size.width * size.height * channels) {
    throw new TypeError(`Expected a frame of ${size.width}x${size.height} in colour.`);
  }
  const target = bytes > frames.data.length ? Buffer.allocUnsafe(bytes) : frames.data.subarray(0, bytes);
  return { data: target, size, channels: channels as 3 | 4 };
}
