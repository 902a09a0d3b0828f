import { open } from 'node:fs/promises';

/** Chunks that are read. An animation with more frames is over every limit. */
const MAX_CHUNKS = 20_000;

/**
 * The time that each frame of an animated PNG is shown, in milliseconds; undefined for any other PNG. Reads the heads
 * of its chunks alone. Source: PNG 3rd edition, 11.3.6.
 */
export async function readApngDelays(file: string): Promise<number[] | undefined> {
  await using handle = await open(file, 'r');
  const chunk = Buffer.alloc(8 + 26);
  const delays: number[] = [];
  let isAnimated = false;
  for (let at = 8, count = 0; count < MAX_CHUNKS; count++) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    const type = chunk.toString('latin1', 4, 8);
    if (bytesRead < 12 || type === 'IEND') break;
    if (type === 'acTL') isAnimated = true;
    // An animation says that it is one before its first frame.
    if (type === 'IDAT' && !isAnimated) break;
    if (type === 'fcTL' && bytesRead === chunk.length) {
      // A denominator of 0 means hundredths of a second.
      delays.push((chunk.readUInt16BE(28) / (chunk.readUInt16BE(30) || 100)) * 1000);
    }
    at += 12 + chunk.readUInt32BE(0);
  }
  return delays.length > 0 ? delays : undefined;
}
