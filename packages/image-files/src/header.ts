import sharp, { type Metadata } from 'sharp';

/** Makes libvips fail on damage, but not on warnings, which later frames of a GIF give. For header and pixels alike. */
export const STRICTNESS = { failOn: 'error' } as const;

/** Reads the header of a file, or the reason why libvips cannot. */
export function readHeader(file: string | Buffer, page = 1): Promise<Metadata | Error> {
  return sharp(file, { limitInputPixels: false, ...pageOption(page), ...STRICTNESS })
    .metadata()
    .catch((error: Error) => error);
}

/** Omits the page for the first one: the main image of an AVIF may be another page. */
export function pageOption(page: number): { page?: number } {
  return page > 1 ? { page: page - 1 } : {};
}
