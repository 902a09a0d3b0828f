import type { operations } from '../api-types.ts';
import { type FoundUrl, findUrls, type Search } from './cloudinary-urls.ts';
import { Failure, text, UsageError, type Values } from './command.ts';
import { jsonOf, reasonOf, type Service } from './service.ts';
import { lineOf, readText } from './text-files.ts';

type Answer = operations['translateUrls']['responses'][200]['content']['application/json'];
export type Translation = Answer['translations'][number];

const BATCH_SIZE = 100;

/** Options of commands that search for URLs. */
export const SEARCH_OPTIONS = { cloud: { type: 'string' }, from: { type: 'string' } } as const;

export const SEARCH_HELP = `  --cloud <name>   only URLs of this cloud; those of all clouds by default
  --from <url>     a host of your own that serves Cloudinary, in addition to res.cloudinary.com`;

/** @throws UsageError */
export function searchOf(values: Values): Search {
  const from = text(values.from);
  if (from !== undefined && !/^https?:\/\/[^/]+\/?$/.test(from)) {
    throw new UsageError('Expected a URL such as https://images.example.com after --from.');
  }
  return { cloud: text(values.cloud), host: from?.split('/')[2]?.toLowerCase() };
}

/** Lists the positions of each URL in some files, as `file:line`, in order. */
export async function urlsIn(files: readonly string[], search: Search): Promise<Map<string, UrlPlaces>> {
  const found = new Map<string, UrlPlaces>();
  for (const file of files) {
    const content = await readText(file);
    if (content === undefined) continue;
    for (const one of findUrls(content, search)) {
      const known = found.get(one.url) ?? { isTemplate: one.isTemplate, places: [] };
      known.places.push(`${file}:${lineOf(content, one.start)}`);
      found.set(one.url, known);
    }
  }
  return found;
}

export interface UrlPlaces extends Pick<FoundUrl, 'isTemplate'> {
  places: string[];
}

/** Makes the service translate URLs. @throws Failure */
export async function translateAll(service: Service, urls: readonly string[]): Promise<Translation[]> {
  const all: Translation[] = [];
  for (let at = 0; at < urls.length; at += BATCH_SIZE) {
    const answer = await service.request('POST', '/delivery/translate', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ urls: urls.slice(at, at + BATCH_SIZE) }),
      isRepeatable: true,
    });
    const said = (await jsonOf(answer)) as Answer | undefined;
    if (!answer.ok || said === undefined) throw new Failure(reasonOf(answer.status, said));
    all.push(...said.translations);
  }
  return all;
}
