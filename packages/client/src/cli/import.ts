import { type Command, SERVICE_HELP, SERVICE_OPTIONS, UsageError } from './command.ts';
import { inParallel } from './parallel.ts';
import { plain } from './printable.ts';
import { Report } from './report.ts';
import type { Outcome } from './send.ts';
import { addressOf, jsonOf, reasonOf, type Service, serviceOf } from './service.ts';
import { textFiles } from './text-files.ts';
import { SEARCH_HELP, SEARCH_OPTIONS, searchOf, type Translation, translateAll, urlsIn } from './translations.ts';

/** The service fetches eight in parallel, for all clients. */
const REQUESTS = 4;

export const importOriginals: Command = {
  help: `darkroom import <files, folders or lists of URLs...>

Finds the delivery URLs of Cloudinary in texts of any kind, and has the service fetch each original once, into the folder and under the
name that it has there, with the extension of its type. What the library has already is left out. The named transformations of the URLs
are listed at the end: they are presets to define. May be run again and again.

${SEARCH_HELP}
  --json           an object for each original, in a line of its own: {file, status, path, url} or {file, status, error}, where file
                   is where it is fetched; status is "new", "same" or "failed"
${SERVICE_HELP}

Needs DARKROOM_KEY with the permissions "read" and "upload".`,
  options: { ...SERVICE_OPTIONS, ...SEARCH_OPTIONS, json: { type: 'boolean' } },
  async run(names, values, env) {
    if (names.length === 0) throw new UsageError('Expected files or lists of URLs, received nothing.');
    const search = searchOf(values);
    const service = serviceOf(values, env);
    const found = await urlsIn(await textFiles(names), search);
    const urls = [...found].filter(([, { isTemplate }]) => !isTemplate).map(([url]) => url);
    const translations = await translateAll(service, urls);
    const originals = new Map(translations.flatMap((one) => (one.original ? [[one.original.url, one]] : [])));
    for (const one of translations) if (one.found && one.original) originals.set(one.original.url, one);
    const report = new Report(Array(originals.size).fill({ size: 0 }), values.json === true);
    await inParallel([...originals.values()], REQUESTS, async (one) => report.add(await bring(service, one), 0));
    printPresets(translations);
    for (const [url, { isTemplate, places }] of found) {
      if (isTemplate) process.stderr.write(`${plain(`${places[0]}: ${url}: code puts it together`)}\n`);
    }
    return report.end();
  },
};

/** Makes the service fetch a missing original. */
async function bring(service: Service, { original, found, file }: Translation): Promise<Outcome> {
  const { url = '', folder = '' } = original ?? {};
  if (found && file !== null) return { file: url, status: 'same', path: file, url: addressOf(service, file) };
  const answer = await service.request('POST', '/upload/url', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, folder, existing: 'skip' }),
    isRepeatable: true,
  });
  const body = await jsonOf(answer);
  const [stored] = (body as { files?: { path: string; skipped?: boolean }[] } | undefined)?.files ?? [];
  if (!answer.ok || stored === undefined) return { file: url, status: 'failed', error: reasonOf(answer.status, body) };
  return {
    file: url,
    status: stored.skipped ? 'same' : 'new',
    path: stored.path,
    url: addressOf(service, stored.path),
  };
}

/** Lists named transformations that are not presets yet. */
function printPresets(translations: readonly Translation[]): void {
  const parts = translations.flatMap(({ refusal }) => (refusal?.part.startsWith('t_') ? [refusal.part.slice(2)] : []));
  for (const name of new Set(parts))
    process.stderr.write(`${plain(name)}: a preset to define, PRESETS=${plain(name)}=...\n`);
}
