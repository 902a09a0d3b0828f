import { copyFile } from 'node:fs/promises';
import { makePreview } from '../src/video/preview.ts';
import type { VideoOptions } from '../src/video/steps/index.ts';
import { makeStoryboard } from '../src/video/storyboard.ts';
import { openStudio as openImages } from './pictures/studio.ts';
import { type Studio, settings } from './video-samples.ts';

/** All outputs that the service creates from the frames of a video. */
export const WAYS = ['still', 'WebP animation', 'GIF animation', 'transcode', 'rendition', 'storyboard'] as const;
export type Way = (typeof WAYS)[number];

/** The first frame of a video, as delivered to a client. */
interface Seen {
  width: number;
  height: number;
  pixel(x: number, y: number): readonly number[];
}

export type Ways = Awaited<ReturnType<typeof openWays>>;

/** Renders the first frame of a video in each way. Images pass through the image pipeline. */
export async function openWays(studio: Studio) {
  const images = await openImages();
  let count = 0;

  async function drawImage(input: string, way: Way, options: VideoOptions): Promise<string> {
    const output = studio.path(`way-${++count}`);
    if (way === 'still') {
      await studio.extractFrame({ input, output: `${output}.png`, time: 0 });
      return `${output}.png`;
    }
    if (way === 'storyboard') {
      const still = { ...settings, encodeStill: (order: { input: string }) => copyFile(order.input, `${output}.webp`) };
      await makeStoryboard(studio.tools, still, { input, output, options: { storyboard: true, ...options } });
      return `${output}.webp`;
    }
    const format = way === 'GIF animation' ? ({ format: 'gif' } as const) : ({ format: 'webp', quality: 100 } as const);
    await makePreview(studio.tools, settings, { input, output, options: { animated: true, ...format, ...options } });
    return output;
  }

  return {
    images,
    async see(input: string, way: Way, options: VideoOptions = {}): Promise<Seen> {
      if (way !== 'transcode' && way !== 'rendition') return images.render(await drawImage(input, way, options), '');
      const format = way === 'rendition' ? ({ format: 'cmaf' } as const) : {};
      const file = await studio.transcode(input, { quality: 100, ...options, ...format });
      const [frame] = await studio.frames(file);
      if (!frame) throw new Error('The transcode has no frame.');
      return { width: frame.width, height: frame.height, pixel: frame.at };
    },
    /** Returns the centre pixel. */
    async middle(input: string, way: Way, options: VideoOptions = {}): Promise<readonly number[]> {
      const { width, height, pixel } = await this.see(input, way, options);
      return pixel(width >> 1, height >> 1).slice(0, 3);
    },
    close: () => images.close(),
  };
}

/** Returns the greatest difference of a channel. */
export function furthest(pixel: readonly number[] | undefined, colour: readonly number[]): number {
  return Math.max(...colour.map((value, channel) => Math.abs(value - (pixel?.[channel] ?? Number.POSITIVE_INFINITY))));
}
