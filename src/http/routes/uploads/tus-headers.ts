import type { FastifyRequest } from 'fastify';
import { badRequest, HttpProblem } from '../../../errors.ts';
import { quote } from '../../../path.ts';

/** Version of the protocol (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0';

/** Media type of a chunk. */
export const BYTES_TYPE = 'application/offset+octet-stream';

/** Extensions of the protocol that are not supported. */
const UNSUPPORTED = {
  'upload-defer-length': 'the length of the whole file in "Upload-Length"',
  'upload-concat': 'one upload for a file: uploads cannot be put together',
} as const;

/** @throws HttpProblem 412 for another version, or none */
export function requireVersion({ headers }: FastifyRequest): void {
  const version = headers['tus-resumable'];
  if (version === TUS_VERSION) return;
  const received = version === undefined ? 'none' : quote(String(version));
  const message = `Expected the header "Tus-Resumable: ${TUS_VERSION}", received ${received}.`;
  throw new HttpProblem('unsupported_tus_version', message, { headers: { 'Tus-Version': TUS_VERSION } });
}

/** @throws HttpProblem 400 for a request that needs an unsupported extension */
export function refuseUnsupported({ headers }: FastifyRequest): void {
  for (const [name, expected] of Object.entries(UNSUPPORTED)) {
    if (headers[name] !== undefined) throw badRequest(`Expected ${expected}.`, 'validation_failed');
  }
}

/** Parses a header with a number of bytes. @throws HttpProblem 400 */
export function requireBytes({ headers }: FastifyRequest, name: 'Upload-Length' | 'Upload-Offset'): number {
  const value = headers[name.toLowerCase()];
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  const received = value === undefined ? 'none' : quote(String(value));
  throw badRequest(`Expected a number of bytes in the header "${name}", received ${received}.`, 'validation_failed');
}

/** True if the body is a chunk of the file. @throws HttpProblem 400 for another media type */
export function bringsBytes({ headers }: FastifyRequest): boolean {
  const type = headers['content-type'];
  if (type === BYTES_TYPE) return true;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return false;
  throw badRequest(`Expected a body of type ${BYTES_TYPE}, received ${type ?? 'no type'}.`, 'malformed_body');
}

/**
 * Parses `Upload-Metadata`: names, each with an optional text in Base64.
 * @throws HttpProblem 400
 */
export function parseMetadata(header: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  const pairs = header.split(',').map((pair) => pair.trim());
  for (const pair of header.trim() === '' ? [] : pairs) {
    const [name = '', value = '', ...rest] = pair.split(' ');
    const isGood = name !== '' && rest.length === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && !fields.has(name);
    if (!isGood) {
      const expected = 'different names, each with a text in Base64, and commas between them';
      throw badRequest(`Expected in "Upload-Metadata" ${expected}, received ${quote(pair)}.`, 'validation_failed');
    }
    fields.set(name, [Buffer.from(value, 'base64').toString()]);
  }
  return fields;
}
