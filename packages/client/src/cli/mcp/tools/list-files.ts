import type { components, operations } from '../../../api-types.ts';
import { addressOf, requestJson, type Service } from '../../service.ts';
import type { Fields } from '../json-rpc.ts';
import type { Schema } from '../schema.ts';
import { json, READS, type Tool } from '../tool.ts';

type Listing = operations['listFolder']['responses'][200]['content']['application/json'];
type Found = operations['listAssets']['responses'][200]['content']['application/json'];
type Known = Pick<components['schemas']['Asset'], 'path' | 'size' | 'width' | 'height' | 'duration' | 'alt' | 'tags'>;

const KIND: Schema = {
  type: 'string',
  enum: ['image', 'video', 'audio', 'model', 'document'],
  description: 'Only files of this kind.',
};

const PAGES: Readonly<Record<'limit' | 'cursor', Schema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 50, description: 'How many at once.' },
  cursor: { type: 'string', description: 'The nextCursor of the previous page, with the same other arguments.' },
};

const DEFAULT_LIMIT = 50;

export function listFiles(service: Service): Tool {
  return {
    name: 'list_files',
    title: 'List a folder',
    description:
      'Lists the folders and files of a folder of the media library, by name, with sizes, dimensions, alt texts, tags and URLs. ' +
      'A page at a time: "nextCursor" leads to the next one. A folder that does not exist is empty.',
    annotations: READS,
    inputSchema: {
      type: 'object',
      properties: { folder: { type: 'string', description: 'The root without it.' }, kind: KIND, ...PAGES },
      additionalProperties: false,
    },
    async run({ folder, ...others }, signal) {
      const path = `/storage?${query({ path: folder, limit: DEFAULT_LIMIT, ...others })}`;
      const page = (await requestJson(service, 'GET', path, { signal, isRepeatable: true })) as Listing;
      const folders = page.folders.map((one) => one.path);
      const files = page.files.map((one) => entryOf(service, { ...one, kind: one.type }));
      return [json({ folders, files, total: page.total, nextCursor: page.nextCursor })];
    },
  };
}

export function searchFiles(service: Service): Tool {
  return {
    name: 'search_files',
    title: 'Search the library',
    description:
      'Finds files in the media library by words in their names, titles, alt texts, descriptions and tags, and by what they are. ' +
      'All conditions have to hold. A page at a time: "nextCursor" leads to the next one.',
    annotations: READS,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words; the last one may be the beginning of one.' },
        folder: { type: 'string', description: 'Only in this folder and those below it.' },
        kind: KIND,
        tags: {
          type: 'array',
          items: { type: 'string' },
          maxItems: 20,
          description: 'All of these; with a "-" before it, a tag that files must not have.',
        },
        orientation: { type: 'string', enum: ['landscape', 'portrait', 'square'] },
        minWidth: { type: 'integer', minimum: 1, maximum: 100_000, description: 'In pixels.' },
        colour: { type: 'string', description: 'Near this dominant colour, in hexadecimal digits: "ff8800".' },
        sort: { type: 'string', enum: ['relevance', 'name', 'size', 'mtime', 'taken', 'created'] },
        order: { type: 'string', enum: ['asc', 'desc'] },
        ...PAGES,
      },
      additionalProperties: false,
    },
    async run({ query: q, tags, folder, ...others }, signal) {
      const recursive = folder === undefined ? undefined : true;
      const path = `/assets?${query({ q, tag: tags, folder, recursive, limit: DEFAULT_LIMIT, ...others })}`;
      const page = (await requestJson(service, 'GET', path, { signal, isRepeatable: true })) as Found;
      const files = page.assets.map((one) => entryOf(service, one));
      return [json({ files, total: page.total, nextCursor: page.nextCursor })];
    },
  };
}

/** Builds a query without undefined values; a list repeats its name. */
function query(fields: Fields): URLSearchParams {
  const pairs = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  return new URLSearchParams(pairs.filter(([, one]) => one !== undefined).map(([name, one]) => [name, String(one)]));
}

/** Returns the fields that help to choose a file; get_file has the rest. */
function entryOf(service: Service, { path, kind, size, width, height, duration, alt, tags }: Known & { kind: string }) {
  return { path, kind, size, width, height, duration, alt, tags, url: addressOf(service, path) };
}
