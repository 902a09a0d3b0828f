import type { operations } from '../../../api-types.ts';
import type { Options } from '../../../options.ts';
import { RedirectError, sendWithinOrigin } from '../../../redirects.ts';
import { transformation, url } from '../../../url.ts';
import { Failure, UsageError } from '../../command.ts';
import { quote } from '../../printable.ts';
import { jsonOf, reasonOf, requestJson, type Service } from '../../service.ts';
import type { Fields } from '../json-rpc.ts';
import type { Schema } from '../schema.ts';
import { json, PATH, READS, type Tool } from '../tool.ts';
import { checkOptions, type Language, optionsSchema } from './options.ts';

type Signed = operations['signDeliveryUrl']['responses'][200]['content']['application/json'];

const TEN_YEARS_SECONDS = 3650 * 86_400;
/** Time limit for the service when tools are listed. */
const DESCRIBE_MILLISECONDS = 5000;
/** As browsers send it. */
const ACCEPTED = 'image/avif,image/webp,image/*,*/*;q=0.8';

export function transformUrl(service: Service): Tool {
  return {
    name: 'transform_url',
    title: 'Write the URL of a picture or video',
    description:
      'Writes the URL of what options make of a picture or video of the library: a size, a crop, a format, effects, texts and logos over ' +
      'it. {"width": 800, "format": "auto", "quality": "auto"} suits most pages. The file is not looked at unless "check" is true, which ' +
      'has the service make it and says what came out. Where the service delivers signed URLs alone, set "signed".',
    annotations: READS,
    inputSchema: schemaOf(optionsSchema()),
    async describe(signal) {
      // An unreachable service must not keep the tools from being listed.
      const soon = AbortSignal.any([signal, AbortSignal.timeout(DESCRIBE_MILLISECONDS)]);
      return schemaOf(optionsSchema(await languageOf(service, soon).catch(() => undefined)));
    },
    async run({ path, options, preset, signed, expiresIn, check }, signal) {
      const text = await textOf(service, { options, preset }, signal);
      const open = { url: url(String(path), text, service.base) };
      const isSigned = signed === true || expiresIn !== undefined;
      const request = { path, transformation: text || undefined, expiresIn };
      const made = isSigned ? await sign(service, request, signal) : open;
      const address = isSigned ? addressAt(service, made.url) : made.url;
      const checked = check === true ? await outcomeOf(address, signal) : null;
      return [json({ ...made, transformation: text || null, checked })];
    },
  };
}

function schemaOf(options: Schema): Schema {
  return {
    type: 'object',
    properties: {
      path: PATH,
      options,
      preset: {
        type: 'string',
        description: 'The name of a transformation that the service knows, in the place of options.',
      },
      signed: { type: 'boolean', default: false, description: 'Whether nobody can change the URL.' },
      expiresIn: {
        type: 'integer',
        minimum: 1,
        maximum: TEN_YEARS_SECONDS,
        description: 'Seconds after which a signed URL ends.',
      },
      check: {
        type: 'boolean',
        default: false,
        description: 'Asks for it once, as a visitor would. Of a video that queues a transcode.',
      },
    },
    required: ['path'],
    additionalProperties: false,
  };
}

async function languageOf(service: Service, signal: AbortSignal): Promise<Language> {
  return (await requestJson(service, 'GET', '/transformations', { signal, isRepeatable: true })) as Language;
}

/** Returns the transformation text. @throws UsageError, TypeError for an invalid one */
async function textOf(service: Service, { options, preset }: Fields, signal: AbortSignal): Promise<string> {
  if (options === undefined && preset === undefined) return '';
  if (options !== undefined && preset !== undefined)
    throw new UsageError('Expected "options" or "preset", received both.');
  const language = await languageOf(service, signal);
  if (preset !== undefined) {
    const names = language.presets.map(({ name }) => name);
    if (names.includes(String(preset))) return `n_${preset}`;
    throw new UsageError(
      `"preset": expected ${names.join(', ') || 'nothing, for there are none'}, received ${quote(String(preset))}.`,
    );
  }
  checkOptions(options as Fields, language);
  return transformation(options as Options);
}

/**
 * Returns a URL that begins with the address of the service, or with its PUBLIC_URL.
 * @throws Failure without a signed URL
 */
async function sign(service: Service, request: Fields, signal: AbortSignal): Promise<Signed> {
  const signed = (await requestJson(service, 'POST', '/delivery/sign', {
    json: request,
    signal,
    isRepeatable: true,
  })) as Signed;
  const url = signed.url.startsWith('/') ? service.base + signed.url : signed.url;
  if (!/^https?:/.test(url) || signedPart(url) === undefined) {
    throw new Failure(`Expected a signed URL from the service, received ${quote(signed.url)}.`);
  }
  return { ...signed, url };
}

/** Returns path and query of a signed URL, without the prefix of PUBLIC_URL. */
function signedPart(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  const start = pathname.indexOf('/authenticated/s--');
  return start < 0 ? undefined : pathname.slice(start) + search;
}

/**
 * Returns a signed URL at the configured address. PUBLIC_URL, which a server can set to anything, may name another
 * host: never contact it.
 */
function addressAt({ base }: Service, url: string): string {
  return base + (signedPart(url) ?? '');
}

/** Requests a URL as an anonymous client. @throws Failure with the error of the service */
async function outcomeOf(address: string, signal: AbortSignal): Promise<unknown> {
  const answer = await visit(address, signal);
  if (!answer.ok) throw new Failure(reasonOf(answer.status, await jsonOf(answer)));
  await answer.body?.cancel();
  if (answer.status === 202) return 'It is being made. Ask again later.';
  return { type: answer.headers.get('content-type'), bytes: Number(answer.headers.get('content-length')) || null };
}

async function visit(address: string, signal: AbortSignal): Promise<Response> {
  const init: RequestInit = { headers: { accept: ACCEPTED }, redirect: 'manual', signal };
  try {
    return await sendWithinOrigin({ url: address, method: 'GET', isRepeatable: true }, (url) => fetch(url, init));
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof RedirectError) throw new Failure(error.message);
    throw new Failure(`${address} cannot be reached.`);
  }
}
