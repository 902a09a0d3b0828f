import type { Size } from '../geometry.ts';
import { TILE_WIDTH } from './steps.ts';

const MAX_TILES = 100;
const COLUMNS = 10;
/** Seconds: no more than one tile is made of each. */
const LEAST_INTERVAL = 1;
/** How many times as high as wide a tile may be. */
const MAX_TILE_RATIO = 2;

/** What the tiles of a storyboard show, and where. It follows from the video's size and length alone. */
export interface StoryboardPlan {
  /** Of each tile. */
  tile: Size;
  /** Tiles, in reading order; the last row may have fewer than there are columns. */
  count: number;
  columns: number;
  rows: number;
  /** Seconds that each tile stands for. */
  interval: number;
}

/**
 * Plans a storyboard.
 * @param video its size as displayed, and its length in seconds
 * @param tileWidth in pixels; a video that is more than twice as high as wide gets narrower tiles
 */
export function planStoryboard(video: Size & { seconds: number }, tileWidth = TILE_WIDTH): StoryboardPlan {
  const seconds = Math.max(0, video.seconds);
  const count = Math.max(1, Math.min(MAX_TILES, Math.round(seconds / LEAST_INTERVAL)));
  const scale = Math.min(tileWidth / video.width, (MAX_TILE_RATIO * tileWidth) / video.height);
  const side = (length: number) => Math.max(2, Math.round(length * scale));
  return {
    tile: { width: side(video.width), height: side(video.height) },
    count,
    columns: Math.min(count, COLUMNS),
    rows: Math.ceil(count / COLUMNS),
    interval: seconds / count,
  };
}
