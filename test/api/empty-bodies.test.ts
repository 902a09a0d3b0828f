import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRaw } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Returns the status of a response, and its error code if present. */
async function outcome(head: string): Promise<{ status: string; code: string | undefined }> {
  const response = await askRaw(
    service.url,
    `${head}\r\nHost: a\r\nX-Api-Key: ${TEST_KEY}\r\nConnection: close\r\n\r\n`,
  );
  return { status: response.slice(0, 12), code: /"code":"(\w+)"/.exec(response)?.[1] };
}

test.each([
  'POST /api-keys/create HTTP/1.1\r\nContent-Type: application/json',
  'POST /api-keys/create HTTP/1.1\r\nContent-Type: text/plain',
  'POST /api-keys/create HTTP/1.1',
  'POST /upload HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b',
  'POST /upload/resumable HTTP/1.1\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 9\r\nUpload-Metadata: filename YS5wbmc=',
  'PATCH /upload/resumable/x HTTP/1.1\r\nTus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream',
  'DELETE /storage/missing.png HTTP/1.1\r\nContent-Type: application/json',
])('%j without a body is answered as with an empty one', async (head) => {
  expect(await outcome(head)).toEqual(await outcome(`${head}\r\nContent-Length: 0`));
});
