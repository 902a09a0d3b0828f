import type { Size } from './geometry.ts';
import { TILE_WIDTH } from './steps/storyboard.ts';

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

/**
 * The WebVTT of a storyboard: for each tile the time that it stands for, and its place on the sheet as a fragment of its URI
 * (W3C Media Fragments 1.0, 4.2.2).
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
