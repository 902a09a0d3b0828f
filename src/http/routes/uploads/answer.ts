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
    url: z.string().describe('Begins with PUBLIC_URL; with "/t/" if that is not set.'),
    prewarmedUrls: texts,
    prewarmErrors: texts,
    queuedTransformationUrls: texts,
    queueErrors: texts,
    skipped: z.literal(true).optional().describe('The file existed already.'),
  })
  .meta({ id: 'UploadedFile' });
const uploadResult = z.object({
  success: z.boolean(),
  files: z.array(uploadedFile),
  errors: z.array(
    z.object({
      filename: z.string(),
      error: z.string(),
      code: errorCode,
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Of `type_mismatch`: `expected`, `received`, `extension`.'),
    }),
  ),
});

/** Results of the files of an upload. */
export const uploaded = uploadResult.meta({ id: 'UploadResult' });
/** No file was stored. `error` is the reason of the first one. */
export const rejected = uploadResult.extend({ error: z.string(), code: errorCode });
/** The signature does not permit the upload. */
export const refused = z.object({ success: z.boolean(), error: z.string(), code: errorCode });

export function statusOf({ success, files }: UploadResult): 200 | 207 | 400 {
  if (success) return 200;
  return files.length > 0 ? 207 : 400;
}

/** An entry of the audit log for each stored file. */
export function storedFiles({ files }: Pick<z.output<typeof uploaded>, 'files'>) {
  return files.flatMap(({ path, size, skipped }) => (skipped ? [] : [{ target: path, detail: { size } }]));
}

/** Bytes of all stored files. */
export function storedBytes({ files }: UploadResult): number {
  return files.reduce((sum, { size, skipped }) => sum + (skipped ? 0 : size), 0);
}

/** Clients expect `error` when nothing was stored. */
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
  .describe('Handling of a name that is taken. `skip` ignores a file with the same bytes.');

/** Options of an upload, from its fields. */
export function uploadOptionsOf(fields: FormFields): Omit<UploadRequest, 'files' | 'client' | 'mayRead'> {
  return {
    folder: fields.get('folder')?.at(-1) ?? '',
    names: listOf(fields, 'names'),
    existing: fields.get('existing')?.at(-1),
    transformations: listOf(fields, 'transformations'),
  };
}

/** Values of a repeated field. Some clients append brackets to its name. */
function listOf(fields: FormFields, name: string): readonly string[] {
  return fields.get(name) ?? fields.get(`${name}[]`) ?? [];
}
