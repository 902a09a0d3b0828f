import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkSignature,
  checkUpload,
  DERIVED_PURPOSES,
  deriveKey,
  isSignedForImgproxy,
  sign,
  signImgproxy,
  signUpload,
} from '../../src/auth/signature.ts';
import { readSignedUrl, signDeliveryUrl } from '../../src/delivery/signed-url.ts';
import { HttpProblem } from '../../src/errors.ts';
import { createClientNames } from '../../src/jobs/client-names.ts';
import { ask, askJson, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
/** In 2033. */
const FAR = 1_999_999_999;
/** Before all signed times here, in ms. */
const IN_2020 = 1_600_000_000_000;
const RULES = { outputSide: 8192 };
const IMGPROXY = { key: '943b421c9eb07c83', salt: '520f986b998d', other: 'aa' };

let service: TestService;
beforeAll(async () => {
  service = await startService({
    API_SECRET: SECRET,
    SIGNATURE_MAX_EXPIRES_IN: '600',
    PRESETS: 'square=w_20,ar_1:1;thumb=w_20',
    DELIVERY_MODE: 'signed',
    COMPAT: 'imgproxy',
    IMGPROXY_KEY: IMGPROXY.key,
    IMGPROXY_SALT: IMGPROXY.salt,
  });
  for (const name of ['alpha.png', `photos:${FAR}`, `w_20/photos:${FAR}`, `${FAR}:w_20/alpha.png`]) {
    await service.place(name, fixture('flag-alpha.png'));
  }
});
afterAll(() => service.close());

const hmac = (text: string, secret: string | Buffer = SECRET) =>
  createHmac('sha256', secret).update(text).digest('hex');
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const post = (path: string, body: unknown) => askJson(service.url, 'POST', path, body, { 'x-api-key': TEST_KEY });

async function upload(fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), 'x.png');
  const response = await fetch(`${service.url}/upload`, { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as { code?: string; error?: string } };
}

async function beginResumable(fields: Record<string, string>) {
  const metadata = Object.entries({ filename: 'x.png', ...fields }).map(
    ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
  );
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': metadata.join(',') };
  return ask(service.url, '/upload/resumable', { method: 'POST', headers });
}

describe('POST /delivery/sign', () => {
  test.each([
    ['the text of an upload', { path: `uploads:${FAR}` }],
    ['one into the root', { path: `:${FAR}` }],
    ['one into a folder of folders', { path: `/a//b:${FAR}` }],
    ['one with a short time', { path: 'uploads:7' }],
    ['one with more digits than a time has', { path: `uploads:${'9'.repeat(30)}` }],
    ['one that expires', { path: `uploads:${FAR}`, expiresIn: 60 }],
    ['one whose folder is its own time', { path: '1999999999', expiresIn: 60 }],
    ['one of decomposed letters', { path: `cafe\u0301:${FAR}` }],
    ['the text of another URL that expires', { path: `${FAR}:w_20/alpha.png` }],
  ])('does not sign %s', async (_, body) => {
    const answer = await post('/delivery/sign', body);
    expect([answer.status, answer.json().code]).toEqual([400, 'unsignable_path']);
    expect(answer.json().message).toMatch(
      /^Expected a path that does not (end in|begin with|consist of) .*, received "/,
    );
  });

  test('does not sign the text of an upload behind a transformation or a preset: no such file has variants', async () => {
    for (const transformation of ['w_20,f_png', 'n_thumb', 'ar_1:1']) {
      const answer = await post('/delivery/sign', { path: `photos:${FAR}`, transformation });
      expect([answer.status, answer.json().code]).toEqual([400, 'untransformable']);
    }
  });

  test.each([
    ['a colon elsewhere', { path: 'a:1.png' }],
    ['digits without a colon', { path: 'photos/1999999999' }],
    ['a date in front', { path: '2026:01:15 at home.png' }],
    ['digits of another script behind a colon', { path: 'a:\u0661\u0662' }],
    ['a transformation that ends in a colon and digits', { path: 'alpha.png', transformation: 'w_20,ar_16:9' }],
    ['a preset that ends so', { path: 'alpha.png', transformation: 'n_square' }],
    ['a time in front of a transformation', { path: `${FAR}:w_20/alpha.png`, transformation: 'w_20' }],
  ])('signs %s as before', async (_, body) => {
    expect((await post('/delivery/sign', body)).status).toBe(200);
  });
});

describe('a signature for uploads', () => {
  const signedUrl = (text: string, raw: string, length = 64) =>
    `/authenticated/s--${hmac(text).slice(0, length)}/${raw}`;

  test.each([
    ['the original', `photos:${FAR}`, `photos:${FAR}`],
    ['an encoded path', `photos:${FAR}`, `photos%3A${FAR}`],
    ['encoded digits', `photos:${FAR}`, `photos:%31999999999`],
    ['a variant', `w_20/photos:${FAR}`, `w_20/photos:${FAR}`],
  ])('delivers nothing: %s', async (_, text, raw) => {
    for (const length of [16, 64]) {
      const answer = await ask(service.url, signedUrl(text, raw, length));
      expect([raw, answer.status, answer.json().code]).toEqual([raw, 401, 'wrong_signature']);
      expect(answer.json().message).toContain('ends in ":" and digits');
    }
  });

  test('made for a folder that reads like a delivery text delivers nothing, nor tells of a video', async () => {
    const { signature, expires } = (await post('/upload/sign', { folder: 'w_20/photos' })).json();
    await service.place(`w_20/photos:${expires}`, fixture('flag-alpha.png'));
    await service.place(`photos:${expires}`, fixture('flag-alpha.png'));
    for (const door of ['authenticated', 'video-status']) {
      const answer = await ask(service.url, `/${door}/s--${signature}/w_20/photos:${expires}`);
      expect([door, answer.status]).toEqual([door, 401]);
    }
    const timed = (await post('/upload/sign', { folder: `${FAR}:w_20/photos` })).json();
    const answer = await ask(
      service.url,
      `/authenticated/s--${timed.signature}--${FAR}/w_20/photos:${String(timed.expires)}`,
    );
    expect(answer.status).toBe(401);
  });
});

describe('a signature for delivery', () => {
  test('that expires delivers nothing for good', async () => {
    const expires = inSeconds(60);
    await service.place(`${expires}:w_20/alpha.png`, fixture('flag-alpha.png'));
    const signature = hmac(`${expires}:w_20/alpha.png`);
    expect((await ask(service.url, `/authenticated/s--${signature}--${expires}/w_20/alpha.png`)).status).toBe(200);
    for (const raw of [`${expires}:w_20/alpha.png`, `${expires}%3Aw_20/alpha.png`]) {
      const answer = await ask(service.url, `/authenticated/s--${signature}/${raw}`);
      expect([raw, answer.status, answer.json().code]).toEqual([raw, 401, 'wrong_signature']);
    }
  });

  test('uploads nothing', async () => {
    for (const folder of [`w_20/alpha.png`, 'alpha.png', `${FAR}:alpha.png`]) {
      for (const signature of [hmac(folder), hmac(`${FAR}:${folder}`)]) {
        expect((await upload({ signature, expires: String(FAR), folder })).status, folder).toBe(401);
      }
    }
  });
});

describe('a presigned upload whose signature ends later than SIGNATURE_MAX_EXPIRES_IN allows', () => {
  const fieldsOf = (expires: number, length = 64) => ({
    signature: hmac(`late:${expires}`).slice(0, length),
    expires: String(expires),
    folder: 'late',
  });
  const refusal = {
    success: false,
    error: expect.stringMatching(/at most 600 seconds ahead \(SIGNATURE_MAX_EXPIRES_IN\)/),
    code: 'expiry_too_far',
  };

  test.each([16, 64])('is refused, with %i characters, in a form and resumable', async (length) => {
    for (const expires of [FAR, inSeconds(720), 999_999_999_999_999]) {
      expect(await upload(fieldsOf(expires, length))).toEqual({ status: 401, body: refusal });
      const begun = await beginResumable(fieldsOf(expires, length));
      expect([begun.status, begun.json()]).toEqual([401, refusal]);
    }
  });

  test('is refused behind the files too, and where a wrong one says nothing of its end', async () => {
    const form = new FormData();
    form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), 'x.png');
    for (const [name, value] of Object.entries(fieldsOf(FAR))) form.append(name, value);
    const response = await fetch(`${service.url}/upload`, { method: 'POST', body: form });
    expect([response.status, await response.json()]).toEqual([401, refusal]);
    const wrong = await upload({ ...fieldsOf(FAR), signature: '0'.repeat(64) });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'wrong_signature' } });
  });

  test('is taken up to that', async () => {
    expect((await upload(fieldsOf(inSeconds(600)))).status).toBe(200);
    expect((await beginResumable(fieldsOf(inSeconds(600)))).status).toBe(201);
  });

  test('is taken from a signer whose clock is less than a minute ahead', async () => {
    expect((await upload(fieldsOf(inSeconds(650)))).status).toBe(200);
    expect((await beginResumable(fieldsOf(inSeconds(650)))).status).toBe(201);
  });
});

/** The purposes, and the verifier of each: every text in every form that could present this signature. */
const verifiers = {
  'delivery for good': (raw: string, signature: string) => opens(`s--${signature}/${raw}`),
  'delivery for a while': (raw: string, signature: string) => {
    const [, until = '', rest = ''] = /^(\d{1,15})(?::|%3A)(.*)$/is.exec(raw) ?? [];
    return until !== '' && opens(`s--${signature}--${until}/${rest}`);
  },
  upload: (text: string, signature: string) => {
    const [, folder = '', expires = ''] = /^(.*):(\d{1,15})$/s.exec(text) ?? [];
    return expires !== '' && checkUpload({ folder, expires }, signature, SECRET) === 'valid';
  },
  imgproxy: (text: string, signature: string) =>
    isSignedForImgproxy(text, Buffer.from(signature, 'hex').toString('base64url'), [IMGPROXY]),
  ...Object.fromEntries(
    DERIVED_PURPOSES.map((purpose) => [
      purpose,
      (text: string, signature: string) => checkSignature(text, signature, deriveKey(SECRET, purpose)) === 'valid',
    ]),
  ),
};
type Purpose = keyof typeof verifiers;

function opens(rest: string): boolean {
  try {
    readSignedUrl(rest, SECRET, RULES, IN_2020);
    return true;
  } catch (error) {
    if (error instanceof HttpProblem) return false;
    throw error;
  }
}

/** Signs a text of a client, like the service; undefined if it refuses. */
function signs(purpose: string, text: string, expires: number): { text: string; signature: string } | undefined {
  try {
    if (purpose === 'upload') {
      return { text: `${text}:${expires}`, signature: signUpload({ folder: text, expires }, SECRET) };
    }
    if (purpose === 'imgproxy') {
      return { text, signature: Buffer.from(signImgproxy(text, IMGPROXY), 'base64url').toString('hex') };
    }
    if (!purpose.startsWith('delivery')) {
      const key = deriveKey(SECRET, purpose as (typeof DERIVED_PURPOSES)[number]);
      return { text, signature: sign(text, key) };
    }
    const isExpiring = purpose === 'delivery for a while';
    const given = { secret: SECRET, limits: RULES, expires: isExpiring ? expires : undefined };
    const url = signDeliveryUrl(encodeURI(text).replaceAll(/[?#]/g, encodeURIComponent), given);
    const signature = /s--([0-9a-f]{64})/.exec(url)?.[1] ?? '';
    return { text: isExpiring ? `${expires}:${text}` : text, signature };
  } catch (error) {
    if (error instanceof HttpProblem) return undefined;
    throw error;
  }
}

describe('no text that is signed for a purpose verifies for another', () => {
  const time = fc.integer({ min: 1_700_000_000, max: 4_000_000_000 });
  const part = fc.oneof(
    fc.constantFrom('w_400', 'ar_16:9', 'n_thumb', 'photos', 'alpha.png', 's--0123456789abcdef', 'job client 1', ''),
    fc.constantFrom(':', '::', ':0', '%3A1', '1:', 'e\u0301:1', ' :1', '1999999999', ':1999999999', '\u0661'),
    time.map(String),
    time.map((seconds) => `:${seconds}`),
    time.map((seconds) => `${seconds}:`),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  );
  const text = fc
    .array(
      fc.oneof(
        part,
        fc.tuple(part, part).map((two) => two.join('')),
        fc.tuple(part, part, part).map((three) => three.join('')),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((parts) => parts.join('/'));
  const purposes = Object.keys(verifiers) as Purpose[];

  test.each(purposes)('%s', (purpose) => {
    let signed = 0;
    fc.assert(
      fc.property(text, time, fc.constantFrom(16, 64), (given, expires, length) => {
        const made = signs(purpose, given, expires);
        if (made === undefined) return;
        signed++;
        const signature = made.signature.slice(0, length);
        const forms = [made.text, given, `${given}/`, encodeURIComponent(made.text), made.text.normalize('NFC')];
        forms.push(made.text.replaceAll(':', '%3A'), `${given}:${expires}`, `${expires}:${given}`);
        for (const other of purposes) {
          if (other === purpose) continue;
          for (const form of forms) {
            if (verifiers[other]?.(form, signature)) throw new Error(`${purpose} "${made.text}" is ${other} "${form}"`);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(signed).toBeGreaterThan(50);
  });

  test('and each verifies for its own', () => {
    for (const purpose of purposes) {
      const made = signs(purpose, '/photos/alpha.png', 1_800_000_000);
      const own = verifiers[purpose];
      expect([purpose, own?.(made?.text ?? '', made?.signature.slice(0, 64) ?? '')]).toEqual([purpose, true]);
    }
  });

  test('and the names of clients in the job table are no signatures of anything', () => {
    fc.assert(
      fc.property(text, (given) => {
        const name = createClientNames(deriveKey(SECRET, 'job-clients'))(given);
        const bare = createHmac('sha256', SECRET).update(`job client ${given}`).digest('base64url');
        expect(bare.startsWith(name)).toBe(false);
      }),
    );
  });

  test('keys of purposes differ from the secret and from one another', () => {
    const keys = [SECRET, ...DERIVED_PURPOSES.map((purpose) => deriveKey(SECRET, purpose).toString('hex'))];
    expect(new Set(keys.map((key) => hmac('x', key))).size).toBe(keys.length);
    for (const purpose of DERIVED_PURPOSES) expect(deriveKey(SECRET, purpose)).toHaveLength(32);
  });
});
