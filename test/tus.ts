import http, { type OutgoingHttpHeaders } from 'node:http';
import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { type Answer, type Asking, ask } from './http.ts';
import { TEST_KEY } from './service.ts';

export const TUS = { 'tus-resumable': '1.0.0' };
export const KEY = { authorization: `Bearer ${TEST_KEY}` };
export const BYTES = { 'content-type': 'application/offset+octet-stream' };

export const metadata = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/** Returns a resumable upload without a client library: each request as the protocol defines it. */
export function tusAt(url: string, credentials: OutgoingHttpHeaders = KEY) {
  const call = (method: string, path: string, { headers, ...asking }: Asking = {}): Promise<Answer> =>
    ask(url, path, { ...asking, method, headers: { ...TUS, ...credentials, ...headers } });
  return {
    call,
    begin: (length: number, fields: Record<string, string>, headers: OutgoingHttpHeaders = {}) =>
      call('POST', '/upload/resumable', {
        headers: { 'upload-length': length, 'upload-metadata': metadata(fields), ...headers },
      }),
    patch: (path: string, offset: number, body: Uint8Array, headers: OutgoingHttpHeaders = {}) =>
      call('PATCH', path, { headers: { ...BYTES, 'upload-offset': offset, ...headers }, body }),
    /** Begins to append bytes, and holds the connection open. */
    stall(
      path: string,
      offset: number,
      bytes: Uint8Array,
    ): { answer: Promise<number>; write(more: Uint8Array): void; leave(): void } {
      const headers = { ...TUS, ...credentials, ...BYTES, 'upload-offset': offset, 'transfer-encoding': 'chunked' };
      const request = http.request(url + path, { method: 'PATCH', headers, agent: false });
      const answer = new Promise<number>((resolve, reject) => {
        request.once('response', (response) => resolve(response.statusCode ?? 0)).once('error', reject);
      });
      answer.catch(() => undefined);
      request.write(bytes);
      return { answer, write: (more) => request.write(more), leave: () => request.destroy() };
    },
  };
}

/** Returns the path of the upload that a response names. */
export const pathOf = ({ headers: { location = '' } }: Answer): string => `/upload/${location}`;

/**
 * Uploads with the client that browsers use, to the end.
 * @throws its error
 */
export function uploadWithClient(bytes: Buffer, options: UploadOptions): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const upload: Upload = new Upload(bytes as unknown as Blob, {
      retryDelays: null,
      headers: KEY,
      ...options,
      onSuccess: () => resolve(upload),
      onError: reject,
    });
    upload.start();
  });
}

/** Returns the response of the service. */
export const answerIn = (error: unknown) => {
  const answer = (error as DetailedError).originalResponse;
  return { status: answer?.getStatus(), ...JSON.parse(answer?.getBody() ?? '{}') };
};
