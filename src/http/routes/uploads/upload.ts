import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type UploadResult, uploadFiles } from '../../../library/upload.ts';
import type { Services } from '../../../library-services.ts';
import { FORM_IDLE_MS, type FormOptions, receiveForm } from '../../bodies/multipart.ts';
import {
  type Admission,
  admitUpload,
  PresignedRefusal,
  signUpload,
  type UploadPlaces,
} from '../../bodies/presigned.ts';
import type { UploadCapacity, UploadPlace } from '../../bodies/upload-capacity.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';
import { leavingSignal } from '../../transport/send.ts';
import {
  bodyOf,
  existing,
  refusalOf,
  refused,
  rejected,
  statusOf,
  storedBytes,
  storedFiles,
  uploaded,
  uploadOptionsOf,
} from './answer.ts';

const uploadForm = z.object({
  files: z.array(z.file()),
  folder: z.string().optional().describe('Folder for the files; by default the root.'),
  names: z.array(z.string()).optional().describe('Names for the files, in their order.'),
  existing,
  transformations: z.array(z.string()).optional().describe('Transformations to render immediately.'),
  signature: z.string().optional().describe('Of a presigned upload. That of a space begins with its id and a dot.'),
  expires: z.string().optional().describe('Of a presigned upload: Unix seconds.'),
});
// A misspelt folder would sign the root.
const signBody = z.strictObject({ folder: z.string().optional(), expiresIn: z.number().optional() }).nullish();
const signed = z.object({
  success: z.boolean(),
  signature: z.string(),
  expires: z.number().int(),
  folder: z.string(),
});

const tag = 'Upload';

/** `POST /upload` with a key or a presigned signature, and `POST /upload/sign`, which creates one. */
export function uploadRoutes(context: RouteContext): readonly Endpoint[] {
  const { services, uploadCapacity: capacity, usageTrail } = context;
  const upload = defineEndpoint('POST /upload', {
    access: 'presigned',
    limit: 'public',
    isDelivery: false,
    noStore: true,
    audit: 'file.uploaded',
    outcome: (_request, answer) => storedFiles(answer),
    openapi: {
      id: 'uploadFiles',
      tag,
      summary: 'Uploads files and renders variants of them.',
      errors: [500, 503, 507],
    },
    schemas: { form: uploadForm, response: { 200: uploaded, 207: uploaded, 400: rejected, 401: refused } },
    async handle(request, reply) {
      try {
        const result = await receiveUpload(request, reply, context, capacity);
        usageTrail.uploaded(request.raw, storedBytes(result));
        reply.code(statusOf(result));
        return bodyOf(result);
      } catch (error) {
        if (!(error instanceof PresignedRefusal)) throw error;
        return reply.code(401).send(refusalOf(error));
      }
    },
  });
  const sign = defineEndpoint('POST /upload/sign', {
    access: 'upload',
    noStore: true,
    openapi: { id: 'signUpload', tag, summary: 'Presigns uploads into a folder.', errors: [500] },
    schemas: { body: signBody, response: { 200: signed } },
    handle: ({ body, within }) => signUpload(services.config, body?.folder, body?.expiresIn, within?.space),
  });
  return [upload, sign];
}

async function receiveUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  places: UploadPlaces,
  capacity: UploadCapacity,
): Promise<UploadResult> {
  const signal = leavingSignal(reply.raw);
  const admission = await admitUpload(request, reply, places);
  using reservation = await capacity.enter(admission.client, signal);
  await using form = await receiveForm(request.raw, formOptions(admission, reservation, places.services));
  admission.judge(form.fields);
  reservation.prove();
  return await uploadFiles(
    { ...admission.services.uploading, signal },
    {
      client: admission.client,
      mayRead: admission.mayRead,
      files: form.files,
      ...uploadOptionsOf(form.fields),
    },
  );
}

function formOptions(admission: Admission, capacity: UploadPlace, { config, temp }: Services): FormOptions {
  return {
    ...config.upload,
    ...(!admission.keepsFiles && { maxFileBytes: 0 }),
    temp,
    idleMs: FORM_IDLE_MS,
    capacity,
    onFile(fields) {
      if (admission.judgeBegun(fields)) capacity.prove();
    },
  };
}
