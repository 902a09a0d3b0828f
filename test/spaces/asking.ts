import { ask, fixture } from '../http.ts';
import { TEST_KEY, type TestService } from '../service.ts';

export const PHOTO = fixture('flag-alpha.png');

/** Headers of a key with all permissions. */
export const ADMIN = { authorization: `Bearer ${TEST_KEY}` };

/** Sends a request with a JSON body, as an admin of the installation by default. */
export async function call(
  service: Pick<TestService, 'url'>,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = ADMIN,
) {
  const answer = await ask(service.url, path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return { ...answer, data: isJson ? answer.json() : {} };
}

/** Uploads an image. @param prefix `/b/{space}`, or nothing for the library */
export async function upload(
  { url }: Pick<TestService, 'url'>,
  prefix: string,
  name: string,
  { headers = ADMIN, fields = {}, bytes = PHOTO }: Uploading = {},
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const response = await fetch(`${url}${prefix}/upload`, { method: 'POST', body: form, headers });
  const body = (await response.json()) as Uploaded;
  return { status: response.status, body, code: body.code ?? body.errors?.[0]?.code, file: body.files?.[0] };
}

interface Uploading {
  headers?: Record<string, string>;
  fields?: Record<string, string>;
  bytes?: Uint8Array;
}

interface Uploaded {
  files?: { path: string; url: string }[];
  errors?: { code: string }[];
  code?: string;
}
