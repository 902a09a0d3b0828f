import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { type UploadRequest, type UploadResult, uploadFiles } from '../../library/upload.ts';
import type { Services } from '../../services.ts';
import { clientOf } from '../admission/client-address.ts';
import { FORM_IDLE_MS, type FormOptions, type ReceivedForm, receiveForm } from '../bodies/multipart.ts';
import { type Admission, admitUpload, PresignedRefusal, signUpload } from '../bodies/presigned.ts';
import type { UploadPlace, UploadRoom } from '../bodies/upload-room.ts';
import type { RouteContext } from '../endpoints/context.ts';
import { defineEndpoint, type Endpoint } from '../endpoints/endpoint.ts';
import { errorCode } from '../problem.ts';
import { leavingSignal } from '../transport/send.ts';

const uploadForm = z.object({
  files: z.array(z.file()),
  folder: z.string().optional().describe('Where to; none is the root.'),
  names: z.array(z.string()).optional().describe('Names for the files, in their order.'),
  transformations: z.array(z.string()).optional().describe('What to render at once.'),
  signature: z.string().optional().describe('Of a presigned upload.'),
  expires: z.string().optional().describe('Of a presigned upload: Unix seconds.'),
});
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
  })
  .meta({ id: 'UploadedFile' });
const uploadResult = z.object({
  success: z.boolean(),
  files: z.array(uploadedFile),
  errors: z.array(z.object({ filename: z.string(), error: z.string(), code: errorCode })),
});
const uploaded = uploadResult.meta({ id: 'UploadResult' });

/** None of the files was stored. `error` says why the first one was not. */
const rejected = uploadResult.extend({ error: z.string(), code: errorCode });
const refused = z.object({ success: z.boolean(), error: z.string(), code: errorCode });

const signBody = z.object({ folder: z.string().optional(), expiresIn: z.number().optional() }).nullish();
const signed = z.object({
  success: z.boolean(),
  signature: z.string(),
  expires: z.number().int(),
  folder: z.string(),
});

const tag = 'Upload';

/** `POST /upload` with a key or a presigned signature, and `POST /upload/sign`, which makes one. */
export function uploadRoutes({ services, uploadRoom: room }: RouteContext): readonly Endpoint[] {
  const upload = defineEndpoint('POST /upload', {
    access: 'presigned',
    limit: 'public',
    noStore: true,
    openapi: { id: 'uploadFiles', tag, summary: 'Uploads files and renders variants of them.', errors: [500, 503] },
    schemas: { form: uploadForm, response: { 200: uploaded, 207: uploaded, 400: rejected, 401: refused } },
    async handle(request, reply) {
      try {
        const result = await receiveUpload(request, reply, services, room);
        return reply.code(statusOf(result)).send(bodyOf(result));
      } catch (error) {
        if (!(error instanceof PresignedRefusal)) throw error;
        return reply.code(401).send({ success: false, error: error.message, code: error.code });
      }
    },
  });
  const sign = defineEndpoint('POST /upload/sign', {
    access: 'upload',
    noStore: true,
    openapi: { id: 'signUpload', tag, summary: 'Signs the right to upload into a folder.', errors: [500] },
    schemas: { body: signBody, response: { 200: signed } },
    handle: ({ body }) => signUpload(services.config, body?.folder, body?.expiresIn),
  });
  return [upload, sign];
}

async function receiveUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  room: UploadRoom,
): Promise<UploadResult> {
  const signal = leavingSignal(reply.raw);
  const admission = await admitUpload(request, reply, services);
  const place = await room.enter(admission.isProven ? undefined : clientOf(request), signal);
  try {
    const form = await receiveForm(request.raw, formOptions(admission, place, services));
    try {
      admission.judge(form.fields);
      place.prove();
      const { publicUrl = '' } = services.config.http;
      const { limits } = services.config;
      return await uploadFiles({ ...services, limits, rules: limits, publicUrl, signal }, requestOf(form));
    } finally {
      await form.discard();
    }
  } finally {
    place.close();
  }
}

function formOptions(admission: Admission, room: UploadPlace, { config, temp }: Services): FormOptions {
  return {
    ...config.upload,
    ...(!admission.keepsFiles && { maxFileBytes: 0 }),
    temp,
    idleMs: FORM_IDLE_MS,
    room,
    onFile(fields) {
      if (admission.judgeBegun(fields)) room.prove();
    },
  };
}

function requestOf(form: ReceivedForm): UploadRequest {
  return {
    files: form.files,
    folder: form.fields.get('folder')?.at(-1) ?? '',
    names: listOf(form, 'names'),
    transformations: listOf(form, 'transformations'),
  };
}

/** The values of a repeated field. Some clients mark such fields with brackets. */
function listOf({ fields }: ReceivedForm, name: string): readonly string[] {
  return fields.get(name) ?? fields.get(`${name}[]`) ?? [];
}

function statusOf({ success, files }: UploadResult): 200 | 207 | 400 {
  if (success) return 200;
  return files.length > 0 ? 207 : 400;
}

/** Where nothing was stored, clients look for `error`. */
function bodyOf(result: UploadResult): UploadResult & { error?: string; code?: ErrorCode } {
  const [first] = result.errors;
  return statusOf(result) === 400 && first ? { ...result, error: first.error, code: first.code } : result;
}
