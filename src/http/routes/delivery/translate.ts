import type { Refusal } from '@darkroom/url-translators/refusal';
import { z } from 'zod';
import { yieldToEventLoop } from '../../../concurrency.ts';
import { signDeliveryUrl } from '../../../delivery/signed-url.ts';
import { writeDeliveryUrl } from '../../../delivery/url.ts';
import { HttpProblem } from '../../../errors.ts';
import type { ForeignUrls, Meaning } from '../../../library/compat/meaning.ts';
import type { Services } from '../../../library-services.ts';
import { requireSecret } from '../../bodies/presigned.ts';
import { defineEndpoint, type Endpoint, type RouteContext } from '../../endpoints/endpoint.ts';

const MAX_URLS = 100;
const MAX_URL_LENGTH = 4096;

const body = z.object({
  urls: z.array(z.string().min(1).max(MAX_URL_LENGTH)).min(1).max(MAX_URLS).describe('Whole, or from their path on.'),
});

const note = z.object({ part: z.string().describe('Part of the URL.'), reason: z.string().describe('For people.') });

const translation = z.object({
  received: z.string(),
  url: z
    .string()
    .nullable()
    .describe(
      'URL of this service: begins with PUBLIC_URL, or with "/"; signed if only signed URLs deliver. Null with a refusal.',
    ),
  file: z.string().nullable().describe('Path of the file; its expected path if it does not exist.'),
  found: z.boolean().describe('True if the file exists.'),
  refusal: note.nullable().describe('Part without a counterpart here.'),
  ignored: z.array(z.string()).describe('Ignored parts.'),
  approximate: z.array(note).describe('Parts with a similar result.'),
  original: z
    .object({
      url: z.string().describe('URL of the file at Cloudinary.'),
      folder: z.string().describe('Folder for the file.'),
    })
    .nullable()
    .describe('File of the URL, also of a refused one. Null for other URLs than those of Cloudinary.'),
});
type Translation = z.output<typeof translation>;

/** `POST /delivery/translate`: translates URLs of another service. */
export function translateRoutes({ services }: RouteContext): readonly Endpoint[] {
  return [
    defineEndpoint('POST /delivery/translate', {
      access: 'read',
      noStore: true,
      openapi: {
        id: 'translateUrls',
        tag: 'Delivery',
        summary: 'Translates URLs of Cloudinary.',
        description: 'Renders nothing.',
      },
      schemas: { body, response: { 200: z.object({ translations: z.array(translation) }) } },
      async handle({ body: { urls } }) {
        const translations: Translation[] = [];
        for (const url of urls) {
          translations.push(await translateUrl(url, services.compat.cloudinary, services));
          // A hundred long URLs take 100 ms.
          await yieldToEventLoop();
        }
        return { translations };
      },
    }),
  ];
}

async function translateUrl(received: string, urls: ForeignUrls, services: Services): Promise<Translation> {
  const original = urls.originalOf(received) ?? null;
  try {
    const meaning = await urls.read(received);
    if (meaning.kind === 'refused') return refused(meaning, { received, original });
    const { path, isFound, ignored, approximate } = meaning;
    return {
      received,
      url: writeUrl(meaning, services),
      file: path,
      found: isFound,
      refusal: null,
      original,
      ignored: [...ignored],
      approximate: [...approximate],
    };
  } catch (error) {
    // An impossible name is an error of one URL, not of the request.
    if (!(error instanceof HttpProblem) || error.status >= 500) throw error;
    return refused({ part: received, reason: error.message }, { received, original });
  }
}

function refused(
  { part, reason }: Pick<Refusal, 'part' | 'reason'>,
  about: Pick<Translation, 'received' | 'original'>,
): Translation {
  const refusal = { part, reason };
  return { ...about, url: null, file: null, found: false, refusal, ignored: [], approximate: [] };
}

/** Encodes characters that would end the URL in CSS or between quotes. */
function writeUrl({ path, segment }: Meaning, { config }: Services): string {
  const { auth, http, limits } = config;
  const written = writeDeliveryUrl(path, segment === '' ? undefined : segment, limits);
  const raw = written.replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const url =
    http.deliveryMode === 'signed' ? signDeliveryUrl(raw, { secret: requireSecret(auth.secret), limits }) : `/t/${raw}`;
  return http.linkBase + url;
}
