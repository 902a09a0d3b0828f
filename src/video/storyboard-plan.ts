import type { Size } from './geometry.ts';
import { TILE_WIDTH } from './steps/storyboard.ts';

const MAX_TILES = 100;
const COLUMNS = 10;
/** Minimum seconds per tile. */
const LEAST_INTERVAL = 1;
/** Maximum height of a tile divided by its width. */
const MAX_TILE_RATIO = 2;

/** Times and positions of the tiles. Depends only on the size and length of the video. */
export interface StoryboardPlan {
  /** Of each tile. */
  tile: Size;
  /** Tiles in reading order; the last row may be incomplete. */
  count: number;
  columns: number;
  rows: number;
  /** Seconds per tile. */
  interval: number;
}

/**
 * Plans a storyboard.
 * @param video displayed size, and length in seconds
 * @param tileWidth in pixels; a video more than twice as high as wide gets narrower tiles
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

/**
 * Writes the WebVTT of a storyboard: the time of each tile, and its area on the sheet as a URI fragment (W3C Media
 * Fragments 1.0, 4.2.2).
 */
export function writeCues({ tile, count, columns, interval }: StoryboardPlan, sheetUri: string): string {
  const cues = Array.from({ length: count }, (_, index) => {
    const x = (index % columns) * tile.width;
    const y = Math.floor(index / columns) * tile.height;
    const times = `${timestamp(index * interval)} --> ${timestamp((index + 1) * interval)}`;
    return `${times}\n${sheetUri}#xywh=${x},${y},${tile.width},${tile.height}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/** `00:01:02.345` */
function timestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const parts = [3_600_000, 60_000, 1000].map((unit, index) =>
    String(Math.floor(milliseconds / unit) % (index === 0 ? Number.POSITIVE_INFINITY : 60)).padStart(2, '0'),
  );
  return `${parts.join(':')}.${String(milliseconds % 1000).padStart(3, '0')}`;
}
