import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let service: TestService;
/** Secret of `acme`. */
let secret: string;
beforeAll(async () => {
  // The library has no secret: its own uploads cannot be presigned, those of spaces can.
  service = await startService();
  secret = String((await call(service, 'POST', '/spaces', { id: 'acme', hosts: ['media.acme.test'] })).data.secret);
  await call(service, 'POST', '/spaces', { id: 'globex' });
});
afterAll(() => service.close());

type Signed = Record<'signature' | 'expires' | 'folder', string>;

async function sign(folder = 'incoming', prefix = '/b/acme'): Promise<Signed> {
  const { data } = await call(service, 'POST', `${prefix}/upload/sign`, { folder });
  return { signature: String(data.signature), expires: String(data.expires), folder: String(data.folder) };
}

const send = (prefix: string, name: string, fields: Record<string, string>) =>
  upload(service, prefix, name, { headers: {}, fields });

/** Begins a resumable upload and returns its answer. */
function begin(path: string, name: string, fields: Record<string, string>) {
  const metadata = Object.entries({ filename: name, ...fields });
  return ask(service.url, path, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(PHOTO.length),
      'upload-metadata': metadata.map(([field, text]) => `${field} ${Buffer.from(text).toString('base64')}`).join(),
    },
  });
}

test('the signature of a space names it, and is that of its secret', async () => {
  const { signature, expires } = await sign();
  const hex = createHmac('sha256', secret).update(`incoming:${expires}`).digest('hex').slice(0, 16);
  expect(signature).toBe(`acme.${hex}`);
});

test.each(['/b/acme', '', '/api', '/b/globex'])(
  'stores in the space that signed, sent to "%s/upload"',
  async (prefix) => {
    const name = `sent-to${prefix.replaceAll('/', '-')}.png`;
    const { status, file } = await send(prefix, name, await sign());
    expect([status, file?.path, file?.url]).toEqual([200, `incoming/${name}`, `/b/acme/t/incoming/${name}`]);
    expect((await call(service, 'GET', `/t/acme/incoming/${name}`)).status).toBe(200);
    expect((await call(service, 'GET', `/b/globex/t/incoming/${name}`)).status).toBe(404);
  },
);

test('is recorded and counted in the space that signed', async () => {
  await send('', 'recorded.png', await sign());
  const { data } = await call(service, 'GET', '/b/acme/audit?action=file.uploaded');
  expect((data.entries as object[])[0]).toMatchObject({
    space: 'acme',
    target: 'incoming/recorded.png',
    actor: { type: 'signature' },
  });
});

test('is good after the files as well', async () => {
  const form = new FormData();
  form.append('files', new Blob([PHOTO as Uint8Array<ArrayBuffer>]), 'late.png');
  for (const [field, value] of Object.entries(await sign())) form.append(field, value);
  const response = await fetch(`${service.url}/upload`, { method: 'POST', body: form });
  expect([response.status, ((await response.json()) as { files: object[] }).files[0]]).toEqual([
    200,
    expect.objectContaining({ url: '/b/acme/t/incoming/late.png' }),
  ]);
});

test('the rules of the space that signed apply', async () => {
  await call(service, 'PATCH', '/spaces/acme', { types: ['video'] });
  expect(await send('', 'typed.png', await sign())).toMatchObject({ status: 400, code: 'unsupported_type' });
  await call(service, 'PATCH', '/spaces/acme', { types: null, maxFileBytes: 10 });
  expect(await send('', 'large.png', await sign())).toMatchObject({ status: 400, code: 'file_too_large' });
  await call(service, 'PATCH', '/spaces/acme', { maxFileBytes: null, enabled: false });
  const fields = await sign().catch(() => undefined);
  expect(fields?.signature).toBe('undefined');
  await call(service, 'PATCH', '/spaces/acme', { enabled: true });
  const signed = await sign();
  await call(service, 'PATCH', '/spaces/acme', { enabled: false });
  expect(await send('', 'disabled.png', signed)).toMatchObject({ status: 403, code: 'space_disabled' });
  await call(service, 'PATCH', '/spaces/acme', { enabled: true });
});

test('without its space it is good at the prefix and the host of the space only', async () => {
  const { signature, ...rest } = await sign();
  const fields = { signature: signature.slice('acme.'.length), ...rest };
  expect(await send('/b/acme', 'bare.png', fields)).toMatchObject({ status: 200, file: { path: 'incoming/bare.png' } });
  expect(await send('/b/globex', 'bare.png', fields)).toMatchObject({ status: 401, code: 'wrong_signature' });
  expect(await send('', 'bare.png', fields)).toMatchObject({ status: 500, code: 'signing_not_configured' });
});

test.each([
  ['another space', (hex: string) => `globex.${hex}`, 401, 'wrong_signature'],
  ['a space that does not exist', (hex: string) => `nothing.${hex}`, 401, 'wrong_signature'],
  ['no hexadecimal digits', () => 'acme.0123456789abcdeg', 400, 'malformed_signature'],
  ['too few digits', () => 'acme.0123', 400, 'malformed_signature'],
])('is refused with %s', async (_, signatureOf, status, code) => {
  const { signature, ...rest } = await sign();
  const fields = { signature: signatureOf(signature.slice('acme.'.length)), ...rest };
  for (const prefix of ['', '/b/acme']) {
    expect(await send(prefix, 'refused.png', fields)).toMatchObject({ status, code });
    expect((await begin(`${prefix}/upload/resumable`, 'refused.png', fields)).json()).toMatchObject({ code });
  }
});

test.each(['/upload/resumable', '/upload/resumable/', '/b/globex/upload/resumable', '/b/acme/upload/resumable'])(
  'begins a resumable upload of its space at %s',
  async (path) => {
    const name = `resumed${path.replaceAll('/', '-')}.png`;
    const begun = await begin(path, name, await sign());
    expect(begun.status).toBe(201);
    const url = new URL(String(begun.headers.location), `${service.url}${path}`);
    expect(url.pathname).toMatch(/^\/b\/acme\/upload\/resumable\/[\w-]{32}$/);
    const sent = await ask(service.url, url.pathname, {
      method: 'PATCH',
      headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
      body: PHOTO,
    });
    expect(sent.status).toBe(204);
    expect((await ask(service.url, `/b/acme/t/incoming/${name}`, { headers: ADMIN })).status).toBe(200);
  },
);

test('begins a resumable upload with its first bytes', async () => {
  const metadata = Object.entries({ filename: 'first.png', ...(await sign()) });
  const begun = await ask(service.url, '/upload/resumable', {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(PHOTO.length),
      'upload-metadata': metadata.map(([field, text]) => `${field} ${Buffer.from(text).toString('base64')}`).join(),
      'content-type': 'application/offset+octet-stream',
    },
    body: PHOTO,
  });
  expect([begun.status, begun.headers['upload-offset']]).toEqual([201, String(PHOTO.length)]);
  expect((await call(service, 'GET', '/b/acme/t/incoming/first.png')).status).toBe(200);
});
