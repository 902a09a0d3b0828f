import { blocksOf, headerBytes } from './gif-blocks.ts';

const END = Buffer.from([0x3b]);

/**
 * The first frame, with its palette and its transparency, or all of them with their times; comments and other extensions are dropped.
 * Undefined for a file that is damaged. Source: GIF89a.
 * @param keepsFrames whether all frames stay
 */
export function stripGif(file: Buffer, keepsFrames = false): Buffer | undefined {
  const kept = [file.subarray(0, headerBytes(file))];
  let control: Buffer | undefined;
  for (const { kind, start, end } of blocksOf(file)) {
    const block = file.subarray(start, end);
    if (kind === 'end') return keepsFrames ? Buffer.concat([...kept, END]) : undefined;
    if (kind === 'control') control = block;
    if (keepsFrames && kind === 'loop') kept.push(block);
    if (kind !== 'image') continue;
    kept.push(...(control ? [control] : []), block);
    control = undefined;
    if (!keepsFrames) return Buffer.concat([...kept, END]);
  }
  return undefined;
}
