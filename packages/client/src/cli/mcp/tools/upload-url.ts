import type { components } from '../../../api-types.ts';
import { Failure } from '../../command.ts';
import { addressOf, requestJson, type Service } from '../../service.ts';
import { json, type Tool } from '../tool.ts';

type Answer = components['schemas']['UploadResult'];

export function uploadUrl(service: Service): Tool {
  return {
    name: 'upload_url',
    title: 'Store a file from a URL',
    description:
      'Has the service fetch a file from the public internet and store it in the media library. Nothing is replaced: where the name is ' +
      'taken by a file with the same bytes, that one is kept ("skip"), and a file with other bytes gets a number.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', description: 'http: or https:, of the file itself and not of a page about it.' },
        folder: { type: 'string', description: 'Where to; the root without it. It is made if it does not exist.' },
        name: { type: 'string', description: 'What to call it, such as "shoe.jpg"; as in the URL without it.' },
        existing: {
          type: 'string',
          enum: ['skip', 'rename', 'error'],
          default: 'skip',
          description: '"rename" stores the same bytes once more, "error" refuses a name that is taken.',
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    async run({ existing = 'skip', ...others }, signal) {
      const isRepeatable = existing === 'skip';
      const asking = { json: { ...others, existing }, signal, isRepeatable };
      const { files } = (await requestJson(service, 'POST', '/upload/url', asking)) as Answer;
      const [stored] = files;
      if (stored === undefined) throw new Failure('The service stored nothing.');
      const { path, size, skipped } = stored;
      return [json({ path, size, status: skipped ? 'was there already' : 'stored', url: addressOf(service, path) })];
    },
  };
}
