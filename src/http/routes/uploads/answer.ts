import { z } from 'zod';
import type { ErrorCode } from '../../../errors.ts';
import { WAYS } from '../../../library/existing.ts';
import type { UploadRequest, UploadResult } from '../../../library/upload.ts';
import type { FormFields } from '../../bodies/multipart.ts';
import type { PresignedRefusal } from '../../bodies/presigned.ts';
import { errorCode } from '../../problem.ts';

const texts = z.array(z.string());
const uploadedFile = z
  .object({
    filename: z.string(),
    path: z.string(),
    size: z.number().int().min(0).describe('Bytes.'),
    url: z.string().describe('Begins with PUBLIC_URL; with "/t/" where that is not set.'),
    prewarmedUrls: texts,
    prewarmErrors: texts,
    queuedTransformationUrls: texts,
    queueErrors: texts,
    skipped: z.literal(true).optional().describe('The file was there already.'),
  })
  .meta({ id: 'UploadedFile' });
const uploadResult = z.object({
  success: z.boolean(),
  files: z.array(uploadedFile),
  errors: z.array(z.object({ filename: z.string(), error: z.string(), code: errorCode })),
});

/** What became of the files of an upload. */
export const uploaded = uploadResult.meta({ id: 'UploadResult' });
/** None of the files was stored. `error` says why the first one was not. */
export const rejected = uploadResult.extend({ error: z.string(), code: errorCode });
/** The signature does not admit the upload. */
export const refused = z.object({ success: z.boolean(), error: z.string(), code: errorCode });

export function statusOf({ success, files }: UploadResult): 200 | 207 | 400 {
  if (success) return 200;
  return files.length > 0 ? 207 : 400;
}

/** Where nothing was stored, clients look for `error`. */
export function bodyOf(result: UploadResult): UploadResult & { error?: string; code?: ErrorCode } {
  const [first] = result.errors;
  return statusOf(result) === 400 && first ? { ...result, error: first.error, code: first.code } : result;
}

export function refusalOf({ message, code }: PresignedRefusal): z.output<typeof refused> {
  return { success: false, error: message, code };
}

/** A field of an upload. */
export const existing = z
  .enum(WAYS)
  .optional()
  .describe('What becomes of a file whose name is taken. `skip` leaves out one with the same bytes.');

/** What the fields of an upload ask for. */
export function wishesOf(fields: FormFields): Omit<UploadRequest, 'files' | 'client'> {
  return {
    folder: fields.get('folder')?.at(-1) ?? '',
    names: listOf(fields, 'names'),
    existing: fields.get('existing')?.at(-1),
    transformations: listOf(fields, 'transformations'),
  };
}

/** The values of a repeated field. Some clients mark such fields with brackets. */
function listOf(fields: FormFields, name: string): readonly string[] {
  return fields.get(name) ?? fields.get(`${name}[]`) ?? [];
}
