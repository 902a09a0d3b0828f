import type { components } from '../../../api-types.ts';
import { encodePath } from '../../../url.ts';
import { Failure } from '../../command.ts';
import { addressOf, jsonOf, reasonOf, requestJson, type Service } from '../../service.ts';
import { type Content, json, PATH, READS, type Tool } from '../tool.ts';

type Asset = components['schemas']['Asset'];

/** Media kinds with facts. */
const KINDS = ['image', 'video', 'audio'];
/** Enough to recognise the content of an image, in about ten kilobytes. */
const PREVIEW = 'w_512,h_512,c_fit,f_jpeg,q_70';

export function getFile(service: Service): Tool {
  return {
    name: 'get_file',
    title: 'Get what is known of a file',
    description:
      'Tells what is known of a file: title, alt text, description, tags, custom fields, dimensions, duration, colours, placeholders for ' +
      'a page (ThumbHash, BlurHash, a tiny data: URL), codecs. With "preview" it shows the picture too, or the first frame of a video: ' +
      'look at it before you write an alt text.',
    annotations: READS,
    inputSchema: {
      type: 'object',
      properties: { path: PATH, preview: { type: 'boolean', default: false, description: 'Also the picture, small.' } },
      required: ['path'],
      additionalProperties: false,
    },
    async run({ path, preview }, signal) {
      const encoded = encodePath(String(path));
      const asking = { signal, isRepeatable: true };
      const record = (await requestJson(service, 'GET', `/assets/${encoded}`, asking)) as Asset;
      const facts = KINDS.includes(record.kind) ? await factsOf(service, encoded, signal) : {};
      const text = json({ ...record, ...facts, url: addressOf(service, record.path) });
      return preview === true ? [text, await imageOf(service, encoded, signal)] : [text];
    },
  };
}

/** Returns the facts of the file itself. An unreadable file has a record anyway. */
async function factsOf(service: Service, path: string, signal: AbortSignal): Promise<object> {
  try {
    return { facts: await requestJson(service, 'GET', `/t/f_json/${path}`, { signal, isRepeatable: true }) };
  } catch (error) {
    if (error instanceof Failure) return { facts: error.message };
    throw error;
  }
}

/** @throws Failure for a file without an image */
async function imageOf(service: Service, path: string, signal: AbortSignal): Promise<Content> {
  const answer = await service.request('GET', `/t/${PREVIEW}/${path}`, { signal, isRepeatable: true });
  const [mimeType] = /^image\/[\w.+-]+/.exec(answer.headers.get('content-type') ?? '') ?? [];
  if (!answer.ok || mimeType === undefined) throw new Failure(reasonOf(answer.status, await jsonOf(answer)));
  return { type: 'image', data: Buffer.from(await answer.arrayBuffer()).toString('base64'), mimeType };
}
