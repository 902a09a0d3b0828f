import { z } from 'zod';
import { captureOf } from '../../../library/capture.ts';
import { notAFile } from '../../../library/problems.ts';
import type { Services } from '../../../library-services.ts';
import type { StoragePath } from '../../../path.ts';
import { yesOrNo } from '../../bodies/query-forms.ts';

const known = z.number().nullable();
const capture = z.object({
  taken: z
    .string()
    .nullable()
    .describe(
      'Time of the photo in ISO 8601, with an offset from UTC if the camera wrote one, else in its local time.',
    ),
  camera: z.string().nullable(),
  lens: z.string().nullable(),
  exposureTime: known.describe('In seconds.'),
  fNumber: known,
  iso: known,
  focalLength: known.describe('In millimetres.'),
  copyright: z.string().nullable(),
  artist: z.string().nullable(),
  position: z.object({ latitude: z.number(), longitude: z.number() }).nullable().describe('In degrees.'),
  altitude: known.describe('In metres above sea level.'),
});
export const metadata = z.object({
  size: z.number().int().min(0).describe('Bytes.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  detail: capture
    .nullable()
    .optional()
    .describe('With `detail=true`: camera, exposure and location stored in the image; otherwise null.'),
});
export const metadataQuery = z.object({
  detail: yesOrNo().default(false).describe('Includes time, location and camera of an image.'),
});

/** @throws HttpProblem 404; 400 for a folder */
export async function readMetadata(path: StoragePath, { originals }: Services) {
  const stat = await originals.check(path);
  if (stat) {
    return { size: stat.size, createdAt: stat.createdAt.toISOString(), updatedAt: stat.modifiedAt.toISOString() };
  }
  throw await notAFile(originals.store, path);
}

/** As above, with the metadata inside an image. @throws HttpProblem 503 when rendering is overloaded, too */
export async function readDetail(path: StoragePath, services: Services, signal: AbortSignal | undefined) {
  const { pool, originals, config } = services;
  const stat = await readMetadata(path, services);
  const detail = await captureOf({ pool, originals, limits: config.limits }, path, signal);
  return { ...stat, detail: detail ?? null };
}
