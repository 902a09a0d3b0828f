import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { lacksEndAlone } from './jpeg-scans.ts';

/** Most frame headers are within the first read. */
const READ_BYTES = 4096;

/** Enough for megabytes of metadata: a large profile or thumbnail is skipped without being read. */
const MAX_READS = 100;

/** Frame of a lossless JPEG (Huffman coding): ITU-T T.81, table B.1. */
const SOF3 = 0xc3;

/** End of image. */
const EOI = Buffer.from([0xff, 0xd9]);
/** Start of scan. */
const SOS = Buffer.from([0xff, 0xda]);

/** Bytes read at the end of a file without an end marker: other data after an image looks different. */
const TAIL_BYTES = 16_384;

export interface JpegTraits {
  /** True for a losslessly coded file. */
  isLossless: boolean;
  /** The file with its end marker, if only that is missing. Coded pixels may be missing as well. */
  completed: Buffer | undefined;
}

/** True for frame headers and the start of a scan. Three codes within the range have other meanings (DHT, JPG, DAC). */
const endsHeader = (marker: number) =>
  marker === 0xda || (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker));

/**
 * Reads a few bytes of a JPEG: its markers up to the frame header, and its end. Blocks, because each step through the
 * thread pool takes ten times longer than these reads.
 */
export async function inspectJpeg(file: string): Promise<JpegTraits> {
  const { isLossless, tail } = readEnds(file);
  return { isLossless, completed: tail && endsInPixels(tail) ? await complete(file) : undefined };
}

function readEnds(file: string) {
  const descriptor = openSync(file, 'r');
  try {
    return { isLossless: readCoding(descriptor), tail: readTail(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

/** Reads markers only. Source: ITU-T T.81, B.1.1 and B.2. */
function readCoding(descriptor: number): boolean {
  const chunk = Buffer.alloc(READ_BYTES);
  let at = 2;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const bytesRead = readSync(descriptor, chunk, 0, READ_BYTES, at);
    let within = 0;
    while (within + 4 <= bytesRead) {
      const marker = chunk[within + 1] as number;
      if (chunk[within] !== 0xff) return false;
      if (endsHeader(marker)) return marker === SOF3;
      // Any number of fill bytes may precede a marker.
      within += marker === 0xff ? 1 : 2 + chunk.readUInt16BE(within + 2);
    }
    if (within === 0) return false;
    at += within;
  }
  return false;
}

/** Reads the last bytes of a file that does not end with the end marker. */
function readTail(descriptor: number): Buffer | undefined {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(EOI.length);
  readSync(descriptor, last, 0, EOI.length, Math.max(0, size - EOI.length));
  if (last.equals(EOI)) return undefined;
  const tail = Buffer.alloc(TAIL_BYTES);
  return tail.subarray(0, readSync(descriptor, tail, 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES)));
}

/** True for coded pixels: they contain no marker but restarts. Source: ITU-T T.81, B.1.1.5. */
function endsInPixels(tail: Buffer): boolean {
  const scan = tail.lastIndexOf(SOS);
  const start = scan < 0 ? 0 : scan + SOS.length;
  for (let at = tail.indexOf(0xff, start); at >= 0 && at + 1 < tail.length; at = tail.indexOf(0xff, at + 1)) {
    const next = tail[at + 1] as number;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return false;
  }
  return true;
}

/** Undefined for a file with an end marker before other data, and for one that lacks scans. */
async function complete(file: string): Promise<Buffer | undefined> {
  const bytes = await readFile(file);
  return lacksEndAlone(bytes) ? Buffer.concat([bytes, EOI]) : undefined;
}
