import sharp, { type Metadata } from 'sharp';

/** What libvips must not get over: damage, but not warnings, which later frames of a GIF give. For the header and the pixels alike. */
export const STRICTNESS = { failOn: 'error' } as const;

/** The header of a file, or the reason why libvips cannot read it. */
export function readHeader(file: string | Buffer, page = 1): Promise<Metadata | Error> {
  return sharp(file, { limitInputPixels: false, ...pageOption(page), ...STRICTNESS })
    .metadata()
    .catch((error: Error) => error);
}

/** Names no page where the first one is meant: the main image of an AVIF may be another one. */
export function pageOption(page: number): { page?: number } {
  return page > 1 ? { page: page - 1 } : {};
}
