import { blocksOf, headerBytes } from './gif-blocks.ts';

const END = Buffer.from([0x3b]);

/**
 * Extracts the first frame with palette and transparency, or all with their times; drops comments and other extensions.
 * Undefined for a damaged file. Source: GIF89a.
 * @param keepsFrames true to keep all frames
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
