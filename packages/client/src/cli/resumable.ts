import { setTimeout as pause } from 'node:timers/promises';
import { resolveWithin } from '../redirects.ts';
import { Failure } from './command.ts';
import { quote } from './printable.ts';
import { backoff, type Service, Unreachable } from './service.ts';

/** Bytes per request: proxies limit bodies, mostly to 100 MB. */
const PART_BYTES = 64 * 1024 * 1024;
/** Consecutive failures of a part before the file fails. */
const MAX_FAILURES = 6;

/** Statuses of transient failures, and of parts that had arrived already. */
const PASSING = [408, 409, 423, 429, 500, 502, 503, 504];

const VERSION = { 'Tus-Resumable': '1.0.0' };

/**
 * Sends a large file by tus 1.0, resuming at the last received byte after an interruption.
 * @param fields those of `POST /upload`, and `filename`
 * @returns a response with the result, or with the reason why there is none
 * @throws as `Service.ask`; Failure for an upload URL outside the origin of the service
 */
export async function sendResumably(service: Service, bytes: Blob, fields: Record<string, string>): Promise<Response> {
  const begun = await service.request('POST', '/upload/resumable', {
    headers: { ...VERSION, 'Upload-Length': String(bytes.size), 'Upload-Metadata': metadataOf(fields) },
  });
  if (begun.status !== 201) return begun;
  const uploadUrl = uploadUrlOf(service, begun);
  const headers = { ...VERSION, 'Content-Type': 'application/offset+octet-stream' };
  for (let offset: number | undefined = 0, failures = 0; offset !== undefined && offset < bytes.size; ) {
    const body = bytes.slice(offset, offset + PART_BYTES);
    const requested = service.request('PATCH', uploadUrl, {
      headers: { ...headers, 'Upload-Offset': String(offset) },
      body,
    });
    const answer = await requested.catch(failureOf);
    if (answer instanceof Response && answer.ok) {
      offset = acknowledged(answer, offset, body.size);
      failures = 0;
    } else if (answer instanceof Response && (!PASSING.includes(answer.status) || failures === MAX_FAILURES)) {
      return answer;
    } else {
      if (++failures > MAX_FAILURES) throw answer;
      await pause(backoff(failures - 1));
      offset = await offsetOf(service, uploadUrl);
    }
  }
  return service.request('GET', uploadUrl, { headers: VERSION, isRepeatable: true });
}

/** @throws Failure for a URL outside the origin of the service, which must not receive the key */
function uploadUrlOf({ base }: Service, begun: Response): string {
  const location = begun.headers.get('location') ?? '';
  const uploadUrl = location === '' ? undefined : resolveWithin(location, `${base}/upload/resumable`);
  if (uploadUrl !== undefined) return uploadUrl;
  throw new Failure(`The server placed the upload at ${quote(location)}, expected an address at ${base}.`);
}

/** Returns the bytes that the server has. @throws Failure if it has none of those sent: they would be sent forever */
function acknowledged({ headers }: Response, offset: number, sent: number): number {
  const said = headers.get('upload-offset') ?? '';
  const now = Number(said);
  if (now > offset && now <= offset + sent) return now;
  throw new Failure(`Expected an Upload-Offset from ${offset + 1} to ${offset + sent}, received ${quote(said)}.`);
}

/** Returns the error of a broken connection; rethrows anything else. */
function failureOf(error: unknown): Unreachable {
  if (error instanceof Unreachable) return error;
  throw error;
}

/** Returns the received bytes; undefined for an upload that has ended or expired. */
async function offsetOf(service: Service, uploadUrl: string): Promise<number | undefined> {
  const answer = await service.request('HEAD', uploadUrl, { headers: VERSION, isRepeatable: true });
  return answer.ok ? Number(answer.headers.get('upload-offset')) : undefined;
}

function metadataOf(fields: Record<string, string>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}
