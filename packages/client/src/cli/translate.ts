import { type FoundUrl, findUrls, type Search } from './cloudinary-urls.ts';
import { type Command, SERVICE_HELP, SERVICE_OPTIONS, text, UsageError } from './command.ts';
import { jsonText, plain } from './printable.ts';
import { type Service, serviceOf } from './service.ts';
import { readText, replaceText, textFiles } from './text-files.ts';
import { SEARCH_HELP, SEARCH_OPTIONS, searchOf, type Translation, translateAll, urlsIn } from './translations.ts';

export const translate: Command = {
  help: `darkroom translate <files or folders...>

Finds the delivery URLs of Cloudinary in HTML, CSS, Markdown, JSON, code and other texts, and prints what each becomes here. Nothing
is changed without --write. What begins with a dot is left out, and so is node_modules.

  --write          puts the new URLs into the files, which stay as they are but for that; URLs that are refused, and those of files
                   that the library does not have, are left alone
  --base <url>     beginning of the new URLs instead of the address of the service; "/" for URLs without a host
${SEARCH_HELP}
  --json           an object for each URL, in a line of its own: {url, status, to, file, ignored, approximate, reason, places};
                   status is "translated", "missing" or "refused"
${SERVICE_HELP}

Needs DARKROOM_KEY with the permission "read".`,
  options: {
    ...SERVICE_OPTIONS,
    ...SEARCH_OPTIONS,
    write: { type: 'boolean' },
    base: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(names, values, env) {
    if (names.length === 0) throw new UsageError('Expected files or folders, received nothing.');
    const search = searchOf(values);
    const service = serviceOf(values, env);
    const base = baseOf(text(values.base), service);
    const files = await textFiles(names);
    const results = await resultsOf(service, await urlsIn(files, search), base);
    for (const result of results) print(result, values.json === true);
    const count = (status: Result['status']) => results.filter((one) => one.status === status).length;
    const written = values.write === true ? await rewrite(files, search, results) : 0;
    process.stderr.write(
      `${count('translated')} translated, ${count('missing')} without a file, ${count('refused')} refused; ` +
        `${written} of ${files.length} files written.\n`,
    );
    return count('translated') === results.length;
  },
};

interface Result {
  url: string;
  status: 'translated' | 'missing' | 'refused';
  /** URL of Darkroom. */
  to?: string;
  file?: string;
  ignored?: readonly string[];
  approximate?: Translation['approximate'];
  /** Reason for a refusal. */
  reason?: string;
  places: readonly string[];
}

/** @throws UsageError */
function baseOf(given: string | undefined, { base }: Service): string {
  if (given === undefined) return base;
  if (!/^(?:https?:\/\/[^\s"'<>()\\]+|\/[^\s"'<>()\\]*)$/.test(given)) {
    throw new UsageError('Expected a URL such as https://media.example.com after --base, or a path.');
  }
  return given.replace(/\/{1,9}$/, '');
}

async function resultsOf(service: Service, found: Awaited<ReturnType<typeof urlsIn>>, base: string): Promise<Result[]> {
  const readable = [...found].filter(([, { isTemplate }]) => !isTemplate).map(([url]) => url);
  const translations = new Map((await translateAll(service, readable)).map((one) => [one.received, one]));
  return [...found].map(([url, { places }]) => {
    const translation = translations.get(url);
    if (translation === undefined) return { url, status: 'refused', reason: 'code puts it together', places };
    const { refusal, file, ignored, approximate } = translation;
    if (refusal) return { url, status: 'refused', reason: `${refusal.part}: ${refusal.reason}`, places };
    const ours = writable(translation.url ?? '');
    if (ours === undefined) return { url, status: 'refused', reason: 'its URL cannot stand in every text', places };
    const to = ours.startsWith('/') ? base + ours : ours;
    const status = translation.found ? 'translated' : 'missing';
    return { url, status, to, ...(file !== null && { file }), ignored, approximate, places };
  });
}

/** Characters that `encodeURIComponent` leaves unchanged, and that end a string of code or a `url()` of CSS. */
const ENDING = /['()]/g;
const SAFE = /^(?:https?:\/)?\/[\w!#$%&*+,\-./:;=?@[\]~]*$/;

/**
 * Encodes a URL so that it can be written into HTML, CSS, code and JSON, for any response; undefined if that is
 * impossible. Signed URLs are signed as written.
 */
function writable(url: string): string | undefined {
  const isSigned = url.includes('/authenticated/s--');
  const written = isSigned ? url : url.replace(ENDING, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return SAFE.test(written) ? written : undefined;
}

/** Prints data to standard output and messages to standard error. */
function print(result: Result, isJson: boolean): void {
  const { url, status, to = '', file = '', reason = '', places } = result;
  if (isJson) {
    process.stdout.write(`${jsonText(result)}\n`);
    return;
  }
  const why = status === 'missing' ? `there is no file ${file}` : reason;
  if (status !== 'translated') {
    process.stderr.write(plain(`${places[0]}: ${url}: ${why}`).concat('\n'));
    return;
  }
  const notes = [
    ...(result.ignored ?? []).map((part) => `ignored ${part}`),
    ...(result.approximate ?? []).map(({ part, reason: how }) => `similar ${part} (${how})`),
  ];
  process.stdout.write(`${[url, to, ...notes].map(plain).join('\t')}\n`);
}

/** @returns the number of written files */
async function rewrite(files: readonly string[], search: Search, results: readonly Result[]): Promise<number> {
  const targets = new Map(results.flatMap(({ url, status, to }) => (status === 'translated' ? [[url, to ?? '']] : [])));
  let written = 0;
  for (const file of files) {
    const before = await readText(file);
    const after = before && withTargets(before, findUrls(before, search), targets);
    if (after === undefined || after === before) continue;
    await replaceText(file, after);
    written++;
  }
  return written;
}

/** Replaces translated URLs. Targets are ASCII, because they are encoded. */
function withTargets(before: string, found: readonly FoundUrl[], targets: ReadonlyMap<string, string>): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end, url, hasEscapes, isTemplate } of found) {
    const target = isTemplate ? undefined : targets.get(url);
    if (target === undefined) continue;
    pieces.push(before.slice(done, start), hasEscapes ? target.replaceAll('/', '\\/') : target);
    done = end;
  }
  return pieces.join('') + before.slice(done);
}
