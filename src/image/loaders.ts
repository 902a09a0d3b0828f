import sharp from 'sharp';

/** Decoders that untrusted files may reach. Everything else that libvips could load is blocked. */
const ALLOWED_LOADERS = [
  'VipsForeignLoadJpegFile',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngFile',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpFile',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifFile',
  'VipsForeignLoadHeifBuffer',
  'VipsForeignLoadNsgifFile',
  'VipsForeignLoadNsgifBuffer',
];

/**
 * Decoders of documents, each open only while it reads one. The one for SVG files by their name never is: it reads
 * their neighbours.
 */
const GUARDED_LOADERS = { tiff: 'VipsForeignLoadTiffFile', svg: 'VipsForeignLoadSvgBuffer' } as const;

type Guarded = keyof typeof GUARDED_LOADERS;

/** Sets up this process for untrusted images: one thread for each operation, no cache, only the allowed decoders. */
export function prepareSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS });
}

/** Opens the decoder of a kind of documents, until it is closed again. */
export function openLoader(kind: Guarded): void {
  sharp.unblock({ operation: [GUARDED_LOADERS[kind]] });
}

export function closeLoader(kind: Guarded): void {
  sharp.block({ operation: [GUARDED_LOADERS[kind]] });
}

/** Closes the decoders of all documents: a task is over. */
export function closeLoaders(): void {
  sharp.block({ operation: Object.values(GUARDED_LOADERS) });
}
