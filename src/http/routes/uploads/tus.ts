import type { FastifyReply, FastifyRequest } from 'fastify';
import { TRUSTED } from '../../../client.ts';
import { badRequest, conflict, HttpProblem, isOverQuota } from '../../../errors.ts';
import type { Progress } from '../../../library/resumable/resumable-uploads.ts';
import type { UploadRecord } from '../../../library/resumable/upload-folder.ts';
import type { Services } from '../../../library-services.ts';
import { type RequestSpace, SPACE_PREFIX } from '../../../spaces/rules.ts';
import { actorOf } from '../../admission/actor.ts';
import { clientOf } from '../../admission/client-address.ts';
import { presentedKey } from '../../admission/credentials.ts';
import { type Guard, requirePermission } from '../../admission/guards.ts';
import { FORM_IDLE_MS } from '../../bodies/multipart.ts';
import { admitUpload, PresignedRefusal, type UploadPlaces } from '../../bodies/presigned.ts';
import { receiveBytes } from '../../bodies/received-bytes.ts';
import { bodyOf, refusalOf, statusOf, uploadOptionsOf } from './answer.ts';
import {
  bringsBytes,
  parseMetadata,
  refuseUnsupported,
  requireBytes,
  requireVersion,
  TUS_VERSION,
} from './tus-headers.ts';

/** Request for one upload. */
export type OfUpload = FastifyRequest<{ Params: { id: string } }>;

const EXTENSIONS = 'creation,creation-with-upload,termination,expiration';

/** Methods of tus 1.0. Every response has the version of the protocol. */
export class Tus {
  readonly #places: UploadPlaces;
  readonly #services: Services;
  readonly #requireUploader: Guard;

  constructor(places: UploadPlaces) {
    this.#places = places;
    this.#services = places.services;
    this.#requireUploader = requirePermission(places.services, 'upload');
  }

  /** Supported versions and extensions. */
  sendOptions(reply: FastifyReply): FastifyReply {
    const { maxFileBytes } = this.#services.config.upload;
    name(reply).headers({ 'Tus-Version': TUS_VERSION, 'Tus-Extension': EXTENSIONS, 'Tus-Max-Size': maxFileBytes });
    return reply.code(204).send();
  }

  /** Creates an upload, after the same authorization as `POST /upload`. */
  async begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    name(reply);
    const entered = request.within;
    try {
      const { upload, services } = await this.#announced(request, reply);
      // A signature may name another space, in which the upload is continued.
      const tus = services === this.#services ? this : new Tus({ ...this.#places, services });
      const hasBytes = bringsBytes(request);
      const id = await services.resumable.create(upload);
      const progress = await tus.#firstBytes(request, id, hasBytes);
      reply.header('Location', tus === this ? locationOf(request, id) : locationIn(services, request, entered, id));
      return tus.#sendProgress(reply, 201, id, progress);
    } catch (error) {
      if (!(error instanceof PresignedRefusal)) throw error;
      return reply.code(401).send(refusalOf(error));
    }
  }

  /** HEAD returns the offset of an upload, GET its result. */
  async look(request: OfUpload, reply: FastifyReply): Promise<FastifyReply> {
    const record = await this.#admit(request, reply);
    if (request.method === 'HEAD') return this.#sendState(request, reply, record);
    const { offset, result } = await this.#services.resumable.result(request.params.id);
    if (result) return reply.code(statusOf(result)).send(bodyOf(result));
    throw conflict(`The upload has ${offset} of ${record.length} bytes.`, 'upload_incomplete');
  }

  async resume(request: OfUpload, reply: FastifyReply): Promise<FastifyReply> {
    await this.#admit(request, reply);
    const offset = requireBytes(request, 'Upload-Offset');
    if (!bringsBytes(request)) throw badRequest('Expected bytes of the file in the body.', 'malformed_body');
    const { id } = request.params;
    return this.#sendProgress(reply, 204, id, await this.#receive(request, id, offset));
  }

  async cancel(request: OfUpload, reply: FastifyReply): Promise<FastifyReply> {
    await this.#admit(request, reply);
    await this.#services.resumable.remove(request.params.id);
    return reply.code(204).send();
  }

  /** Method override, for clients that can send neither PATCH nor DELETE. */
  override(request: OfUpload, reply: FastifyReply): Promise<FastifyReply> {
    const method = request.headers['x-http-method-override'];
    if (method === 'PATCH') return this.resume(request, reply);
    if (method === 'DELETE') return this.cancel(request, reply);
    const message = 'Expected GET, HEAD, PATCH, DELETE, or "X-HTTP-Method-Override", received POST.';
    throw new HttpProblem('method_not_allowed', message, {
      headers: { Allow: 'GET, HEAD, PATCH, DELETE, POST, OPTIONS' },
    });
  }

  /** Reads the options of a new upload, and authorizes it. */
  async #announced(request: FastifyRequest, reply: FastifyReply) {
    const admission = await admitUpload(request, reply, this.#places);
    requireVersion(request);
    refuseUnsupported(request);
    const length = requireBytes(request, 'Upload-Length');
    const metadata = String(request.headers['upload-metadata'] ?? '');
    const fields = parseMetadata(metadata);
    admission.judge(fields);
    const [fileName = '', declaredType = ''] = ['filename', 'filetype'].map((field) => fields.get(field)?.[0]);
    const uploadOptions = uploadOptionsOf(fields);
    if (fileName === '' && !uploadOptions.names[0]) {
      throw badRequest('Expected the name of the file as "filename" in "Upload-Metadata".', 'missing_input');
    }
    const upload = {
      length,
      metadata,
      client: clientOf(request),
      request: { ...uploadOptions, mayRead: admission.mayRead, name: fileName, declaredType },
      actor: actorOf(request.raw),
      admittedBy: admission.client === TRUSTED ? ('credentials' as const) : ('signature' as const),
    };
    return { upload, services: admission.services };
  }

  /** Finds the upload of a request. An upload with a signature needs no key; a key that is sent has to be valid. */
  async #admit(request: OfUpload, reply: FastifyReply): Promise<UploadRecord> {
    name(reply);
    const hasKey = presentedKey(request.headers) !== undefined;
    if (hasKey) await this.#requireUploader(request, reply);
    requireVersion(request);
    const record = this.#services.resumable.find(request.params.id);
    if (!hasKey && record.admittedBy === 'credentials') await this.#requireUploader(request, reply);
    return record;
  }

  #receive(request: FastifyRequest, id: string, offset: number): Promise<Progress> {
    const { resumable, config } = this.#services;
    const limits = { ...config.upload, idleMs: FORM_IDLE_MS, maxRequestBytes: config.upload.maxFileBytes };
    return resumable.append(id, offset, (sink) => receiveBytes(request.raw, sink, limits));
  }

  async #firstBytes(request: FastifyRequest, id: string, hasBytes: boolean): Promise<Progress> {
    const { resumable } = this.#services;
    try {
      return await (hasBytes ? this.#receive(request, id, 0) : resumable.progress(id));
    } catch (error) {
      // After an error, the client does not know the upload.
      await resumable.remove(id).catch(() => undefined);
      throw error;
    }
  }

  /** The response to the last chunk contains the result of the upload. */
  #sendProgress(reply: FastifyReply, status: number, id: string, progress: Progress): FastifyReply {
    const { offset, result } = progress;
    if (result && !result.success) return reply.code(statusOf(result)).send(bodyOf(result));
    reply.code(status).header('Upload-Offset', offset);
    if (!result) reply.header('Upload-Expires', this.#services.resumable.expiresAt(id).toUTCString());
    return reply.send();
  }

  async #sendState(request: OfUpload, reply: FastifyReply, record: UploadRecord): Promise<FastifyReply> {
    const { length, metadata } = record;
    const progress = await this.#services.resumable.progress(request.params.id).catch((cause) => {
      if (cause instanceof HttpProblem && cause.status < 500) throw cause;
      if (!isOverQuota(cause)) request.log.warn({ err: cause }, 'an upload that is complete could not be stored');
      // With another status, clients would start again although all bytes have arrived.
      throw new HttpProblem('upload_busy', 'All bytes are here, and the file cannot be stored at the moment.');
    });
    reply.header('Upload-Length', length);
    if (metadata !== '') reply.header('Upload-Metadata', metadata);
    return this.#sendProgress(reply, 200, request.params.id, progress);
  }
}

function name(reply: FastifyReply): FastifyReply {
  return reply.header('Tus-Resumable', TUS_VERSION);
}

/** URL of the upload, relative to that of the request, because proxies may have removed a prefix. */
function locationOf({ url }: FastifyRequest, id: string): string {
  return url.split('?', 1)[0]?.endsWith('/') ? id : `resumable/${id}`;
}

/** As `locationOf`, for an upload in another space than the request. @param entered that of the request */
function locationIn(
  { config }: Services,
  { originalUrl }: FastifyRequest,
  entered: RequestSpace | undefined,
  id: string,
): string {
  const [path = ''] = originalUrl.split('?', 1);
  const below = path.slice(path.indexOf(entered?.entrance === 'prefix' ? SPACE_PREFIX : '/upload/') + 1);
  return `${'../'.repeat(below.split('/').length - 1)}${config.http.pathBase.slice(1)}/upload/resumable/${id}`;
}
