/** The chunks of a PNG that determine its rendered pixels. Source: PNG 3rd edition, 4.3 and 11.3.2. */
const SHOWING = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'];

/**
 * True if both PNGs render identically: a result may copy the coded pixels of its original, together with their colour
 * description. Then there is nothing to compare.
 */
export function showsTheSame(one: Buffer, other: Buffer): boolean {
  const first = showingChunks(one);
  const second = showingChunks(other);
  return first !== undefined && second !== undefined && first.equals(second);
}

function showingChunks(png: Buffer): Buffer | undefined {
  if (png.toString('latin1', 1, 4) !== 'PNG') return undefined;
  const kept: Buffer[] = [];
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    if (SHOWING.includes(png.toString('latin1', at + 4, at + 8))) kept.push(png.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
