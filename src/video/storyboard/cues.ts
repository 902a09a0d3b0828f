import type { StoryboardPlan } from './plan.ts';

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
