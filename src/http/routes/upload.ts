import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type UploadResult, uploadFiles } from '../../library/upload.ts';
import type { Services } from '../../services.ts';
import { withRawBodies, withSchemas } from '../bodies.ts';
import { requirePermission } from '../guards.ts';
import { FORM_IDLE_MS, type ReceivedForm, receiveForm } from '../multipart.ts';
import { admitUpload, PresignedRefusal, signUpload } from '../presigned.ts';
import { leavingSignal } from '../send.ts';

const uploadForm = z.object({
  files: z.array(z.file()),
  folder: z.string().optional(),
  names: z.array(z.string()).optional(),
  transformations: z.array(z.string()).optional(),
  signature: z.string().optional(),
  expires: z.string().optional(),
});
const texts = z.array(z.string());
const uploaded = z.object({
  success: z.boolean(),
  files: z.array(
    z.object({
      filename: z.string(),
      path: z.string(),
      size: z.number(),
      url: z.string(),
      prewarmedUrls: texts,
      prewarmErrors: texts,
      queuedTransformationUrls: texts,
      queueErrors: texts,
    }),
  ),
  errors: z.array(z.object({ filename: z.string(), error: z.string() })),
});

const refused = z.object({ success: z.boolean(), error: z.string() });

const signBody = z.object({ folder: z.string().optional(), expiresIn: z.number().optional() }).nullish();
const signed = z.object({
  success: z.boolean(),
  signature: z.string(),
  expires: z.number().int(),
  folder: z.string(),
});

/** `POST /upload` with a key or a presigned signature, and `POST /upload/sign`, which makes one. */
export function uploadRoutes(app: FastifyInstance, services: Services): void {
  app.register(async (plain) => {
    const schema = {
      consumes: ['multipart/form-data'],
      body: uploadForm,
      response: { 200: uploaded, 207: uploaded, 400: uploaded, 401: refused },
    };
    withRawBodies(plain).post('/upload', { schema }, async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      try {
        const result = await receiveUpload(request, reply, services);
        return reply.code(statusOf(result)).send(result);
      } catch (error) {
        if (!(error instanceof PresignedRefusal)) throw error;
        return reply.code(401).send({ success: false, error: error.message });
      }
    });
  });
  app.register(async (plain) => {
    const schema = { body: signBody, response: { 200: signed } };
    const options = { onRequest: requirePermission(services, 'upload'), schema };
    withSchemas(plain).post('/upload/sign', options, async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return signUpload(services.config, request.body?.folder, request.body?.expiresIn);
    });
  });
}

async function receiveUpload(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<UploadResult> {
  const { config, temp } = services;
  const admission = await admitUpload(request, services);
  const limits = { ...config.upload, ...(!admission.keepsFiles && { maxFileBytes: 0 }) };
  const form = await receiveForm(request.raw, { temp, idleMs: FORM_IDLE_MS, ...limits });
  try {
    admission.judge(form.fields);
    const publicUrl = config.http.publicUrl ?? `${request.protocol}://${request.host}`;
    const signal = leavingSignal(reply.raw);
    const { maxFileBytes } = config.upload;
    const uploading = { ...services, limits: config.limits, publicUrl, maxFileBytes, signal };
    return await uploadFiles(uploading, {
      files: form.files,
      folder: form.fields.get('folder')?.at(-1) ?? '',
      names: listOf(form, 'names'),
      transformations: listOf(form, 'transformations'),
    });
  } finally {
    await form.discard();
  }
}

/** A repeated field; some clients mark those with brackets. */
function listOf({ fields }: ReceivedForm, name: string): string[] {
  return fields.get(name) ?? fields.get(`${name}[]`) ?? [];
}

function statusOf({ success, files }: UploadResult): 200 | 207 | 400 {
  if (success) return 200;
  return files.length > 0 ? 207 : 400;
}
