import { z } from 'zod';
import { defineEndpoint, type Endpoint, type Operation, type RouteContext } from '../../endpoints/endpoint.ts';
import { refused, rejected, uploaded } from './answer.ts';
import { type OfUpload, Tus } from './tus.ts';
import { BYTES_TYPE } from './tus-headers.ts';

const params = z.object({ id: z.string().describe('Id of the upload, the last segment of its URL.') });

const ALL = '/upload/resumable';
const ONE = `${ALL}/:id`;

/** The handler authorizes the upload, as that of `POST /upload` does. */
const COMMON = { access: 'presigned', limit: 'public', isDelivery: false, noStore: true } as const;

const VERSION = { 'Tus-Resumable': '`1.0.0`.' };
const BEGINNING = {
  ...VERSION,
  'Upload-Length': 'Bytes of the whole file.',
  'Upload-Metadata':
    'Names, each with a text in Base64, and commas between them: `filename`, `filetype`, and the fields of `POST /upload` (`folder`, `names`, `existing`, `transformations`, `signature`, `expires`).',
};

/** Resumable uploads by the protocol tus 1.0. */
export function resumableRoutes(context: RouteContext): readonly Endpoint[] {
  const tus = new Tus(context);
  return [...beginning(tus), ...continuing(tus)];
}

function beginning(tus: Tus): Endpoint[] {
  const options = defineEndpoint(`OPTIONS ${ALL}`, {
    access: 'public',
    alsoAt: [`${ALL}/`, ONE],
    openapi: 'hidden',
    handle: (_request, reply) => tus.sendOptions(reply),
  });
  const begin = defineEndpoint(`POST ${ALL}`, {
    ...COMMON,
    alsoAt: [`${ALL}/`],
    openapi: operation('beginUpload', 'Begins a resumable upload (tus 1.0).', {
      headers: BEGINNING,
      errors: [507],
      bare: { 201: 'Begun. `Location` is the URL of the upload, relative to this one.' },
    }),
    schemas: { file: BYTES_TYPE, response: { 400: rejected, 401: refused } },
    handle: (request, reply) => tus.begin(request, reply),
  });
  return [options, begin];
}

function continuing(tus: Tus): Endpoint[] {
  const look = defineEndpoint(`GET ${ONE}`, {
    ...COMMON,
    openapi: operation('getUpload', 'Returns the result of a resumable upload.', {
      description: 'HEAD returns the received bytes in `Upload-Offset`.',
      errors: [404, 409, 423, 507],
    }),
    schemas: { params, response: { 200: uploaded, 400: rejected } },
    handle: (request, reply) => tus.look(request as OfUpload, reply),
  });
  const resume = defineEndpoint(`PATCH ${ONE}`, {
    ...COMMON,
    openapi: operation('resumeUpload', 'Adds bytes to a resumable upload.', {
      description: 'With the last bytes, the file is stored or refused.',
      headers: { ...VERSION, 'Upload-Offset': 'Received bytes.' },
      bare: { 204: 'Added. `Upload-Offset` is the number of received bytes.' },
      errors: [404, 409, 423, 507],
    }),
    schemas: { params, file: BYTES_TYPE, response: { 400: rejected } },
    handle: (request, reply) => tus.resume(request as OfUpload, reply),
  });
  const cancel = defineEndpoint(`DELETE ${ONE}`, {
    ...COMMON,
    openapi: operation('cancelUpload', 'Gives a resumable upload up.', {
      description: 'A file that was stored already stays.',
      bare: { 204: 'Aborted.' },
      errors: [404],
    }),
    schemas: { params },
    handle: (request, reply) => tus.cancel(request as OfUpload, reply),
  });
  const override = defineEndpoint(`POST ${ONE}`, {
    ...COMMON,
    openapi: 'hidden',
    schemas: { file: BYTES_TYPE },
    handle: (request, reply) => tus.override(request as OfUpload, reply),
  });
  return [look, resume, cancel, override];
}

function operation(id: string, summary: string, more: Partial<Operation>): Operation {
  return { headers: VERSION, ...more, id, tag: 'Upload', summary, errors: [412, 500, 503, ...(more.errors ?? [])] };
}
