import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type UploadResult, uploadFiles } from '../../library/upload.ts';
import type { Services } from '../../services.ts';
import { requirePermission } from '../guards.ts';
import { receiveForm } from '../multipart.ts';

/** How long a client may pause in the middle of an upload. */
const IDLE_MS = 60_000;

/** `POST /upload` */
export function uploadRoutes(app: FastifyInstance, services: Services): void {
  app.register(async (scope) => {
    // The form reader takes the body as it comes, whatever its type: it knows best what is wrong with it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.post('/upload', { onRequest: requirePermission(services, 'upload') }, async (request, reply) => {
      const result = await receiveUpload(request, services);
      return reply.code(statusOf(result)).header('Cache-Control', 'no-store').send(result);
    });
  });
}

async function receiveUpload(
  request: FastifyRequest,
  { config, temp, originals, pool }: Services,
): Promise<UploadResult> {
  const form = await receiveForm(request.raw, { temp, idleMs: IDLE_MS, ...config.upload });
  try {
    const publicUrl = config.http.publicUrl ?? `${request.protocol}://${request.host}`;
    const { limits, upload } = config;
    const uploading = { originals, pool, limits, temp, publicUrl, maxFileBytes: upload.maxFileBytes };
    return await uploadFiles(uploading, {
      files: form.files,
      folder: form.fields.get('folder')?.at(-1) ?? '',
      names: form.fields.get('names') ?? form.fields.get('names[]') ?? [],
    });
  } finally {
    await form.discard();
  }
}

function statusOf({ success, files }: UploadResult): number {
  if (success) return 200;
  return files.length > 0 ? 207 : 400;
}
