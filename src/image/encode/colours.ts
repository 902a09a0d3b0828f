import type { RawPixels } from './similarity.ts';

/** True if an image has at most `count` colours. Those that differ in alpha alone count as two. Stops early. */
export function hasAtMost(count: number, { data, channels }: RawPixels): boolean {
  const colours = new Set<number>();
  let last = -1;
  for (let at = 0; at < data.length; at += channels) {
    let colour = 0;
    for (let channel = 0; channel < channels; channel++) colour = colour * 256 + (data[at + channel] as number);
    if (colour === last) continue;
    last = colour;
    if (colours.add(colour).size > count) return false;
  }
  return true;
}
