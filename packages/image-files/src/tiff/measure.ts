import { UndecodableImage } from '../undecodable-image.ts';
import type { TiffLayout } from './layout.ts';

/** Tiles are multiples of 16 (TIFF 6.0, section 15). Smaller ones would be read one by one for very long. */
const LEAST_TILE = 16;
/** Programs write tiles of up to 1024 pixels, also for smaller pages. */
const USUAL_TILE = 1024;
const MOST_CHUNK_BYTES = 2 ** 28;
/** Limit of all chunks relative to the page; for a small page one tile of usual size. */
const MOST_OF_PAGE = 4;
const SPARE_BYTES = 2 ** 24;
/** Chunks are read one by one. Narrow pages may have one strip per row. */
const CHUNK_PIXELS = 64;
const SPARE_CHUNKS = 10_000;
/** Pixels decoded in the 50 microseconds that reading a chunk takes. */
const PIXELS_OF_READ = 250;

/** Chunks of a page: tiles, or strips. */
export interface Measured {
  count: number;
  /** Cost of decoding all chunks, in pixels of a page in one chunk. */
  pixels: number;
  /** Bytes of samples: of the page, or of one chunk if that is larger. */
  bytes: number;
}

/**
 * Measures the cost of decoding a page. Tiles may be larger than the page, and all of them may share one position in
 * the file.
 * @throws UndecodableImage if that is far more than the page
 */
export function measureChunks(layout: TiffLayout): Measured {
  checkSides(layout);
  const { width, height, channels, bits, chunk, isPlanar } = layout;
  const planes = isPlanar ? Math.max(channels, 1) : 1;
  const count = Math.ceil(width / chunk.width) * Math.ceil(height / chunk.height) * planes;
  if (count > (width * height * channels) / CHUNK_PIXELS + SPARE_CHUNKS) {
    throw new UndecodableImage(`The TIFF has ${count} strips or tiles for ${width}x${height} pixels.`);
  }
  const chunkBytes = Math.ceil((chunk.width * (channels / planes) * bits) / 8) * chunk.height;
  if (chunkBytes > MOST_CHUNK_BYTES) {
    throw new UndecodableImage(`The TIFF has strips or tiles of ${chunkBytes} bytes.`);
  }
  const stored = (width * height * channels * bits) / 8;
  if (count * chunkBytes > MOST_OF_PAGE * stored + SPARE_BYTES) {
    throw new UndecodableImage(`The TIFF has ${count} strips or tiles of ${chunkBytes} bytes for ${stored} of pixels.`);
  }
  const unpacked = (count / planes) * chunk.width * chunk.height;
  return {
    count,
    pixels: Math.max(width * height, unpacked) + count * PIXELS_OF_READ,
    bytes: Math.max(width * height * channels * (bits > 8 ? 2 : 1), chunkBytes),
  };
}

function checkSides({ width, height, chunk, isTiled }: TiffLayout): void {
  const least = isTiled ? LEAST_TILE : 1;
  const most = (side: number) => Math.max(Math.ceil(side / LEAST_TILE) * LEAST_TILE, USUAL_TILE);
  const fits = (side: number, page: number) => side >= least && side <= most(page);
  if (fits(chunk.width, width) && fits(chunk.height, height)) return;
  throw new UndecodableImage(
    `The TIFF has strips or tiles of ${chunk.width}x${chunk.height} pixels for a page of ${width}x${height}.`,
  );
}
