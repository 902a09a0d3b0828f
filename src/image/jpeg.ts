import { open } from 'node:fs/promises';

/** Most frame headers lie within the first read. */
const READ_BYTES = 4096;

/** A large profile or thumbnail is skipped without being read, so this is enough for megabytes of metadata. */
const MAX_READS = 100;

/** The frame of a lossless JPEG (Huffman coding): ITU-T T.81, table B.1. */
const SOF3 = 0xc3;

/** Frame headers and the start of a scan. Three codes within the range mean something else (DHT, JPG, DAC). */
const endsHeader = (marker: number) =>
  marker === 0xda || (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker));

/**
 * Whether a JPEG is coded without loss. Looks at its markers alone, up to the frame header. Source: ITU-T T.81, B.1.1 and B.2.
 */
export async function isLosslessJpeg(file: string): Promise<boolean> {
  await using handle = await open(file, 'r');
  const chunk = Buffer.alloc(READ_BYTES);
  let at = 2;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const { bytesRead } = await handle.read(chunk, 0, READ_BYTES, at);
    let within = 0;
    while (within + 4 <= bytesRead) {
      const marker = chunk[within + 1] as number;
      if (chunk[within] !== 0xff) return false;
      if (endsHeader(marker)) return marker === SOF3;
      // Any number of fill bytes may stand before a marker.
      within += marker === 0xff ? 1 : 2 + chunk.readUInt16BE(within + 2);
    }
    if (within === 0) return false;
    at += within;
  }
  return false;
}
