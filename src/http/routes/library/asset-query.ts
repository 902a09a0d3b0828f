import { z } from 'zod';
import type { AssetConditions, Range } from '../../../catalog/catalog-search.ts';
import { badRequest } from '../../../errors.ts';
import type { AssetSearch } from '../../../library/assets.ts';
import { ORDERS } from '../../../library/listing-order.ts';
import { MEDIA_KINDS } from '../../../media.ts';
import { parsePath, quote } from '../../../path.ts';
import { searchedPath, wholeNumber, yesOrNo } from '../../bodies/query-forms.ts';
import { MAX_TAG_TEXT } from './asset-json.ts';

const SORTS = ['relevance', 'name', 'size', 'mtime', 'taken', 'created'] as const;
const FACETS = ['kind', 'tag', 'type'] as const;
const FIELD = 'field.';

/** Patterns of values in queries. */
const formed = (what: string, isGood: (text: string) => boolean) =>
  z.string().refine(isGood, { error: ({ input }) => `expected ${what}, received ${quote(String(input))}` });

const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
/** Excludes invalid days: `Date.parse` reads 31 February as 3 March. */
const isDay = (day: string) => new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(8));
const time = (which: string) =>
  formed(
    'a date such as 2026-03-01, or a time such as 2026-03-01T12:00:00Z',
    (text) => ISO_TIME.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  )
    .optional()
    .describe(which);
const seconds = () => formed('a number of seconds', (text) => /^\d{1,9}(\.\d{1,9})?$/.test(text)).optional();
/** Longer than any tag. NFC can take quadratic time. */
const searchedTag = z.string().max(MAX_TAG_TEXT);
const isFacet = (text: string) => FACETS.some((facet) => facet === text);

/** Conditions on files, of `GET /assets` and `GET /storage`. */
export const conditionsQuery = {
  tag: z
    .union([searchedTag, z.array(searchedTag).max(100)])
    .optional()
    .describe('Files with this tag or, with a leading "-", without it. May be repeated; all have to match.'),
  untagged: yesOrNo().optional().describe('With true, files without a tag.'),
  withoutAlt: yesOrNo().optional().describe('With true, files without an alternative text.'),
  undecodable: yesOrNo().optional().describe('With true, images, videos and audio that cannot be decoded.'),
  minSize: wholeNumber(0).optional().describe('Bytes.'),
  maxSize: wholeNumber(0).optional(),
  minWidth: wholeNumber(0).optional().describe('Pixels.'),
  maxWidth: wholeNumber(0).optional(),
  minHeight: wholeNumber(0).optional(),
  maxHeight: wholeNumber(0).optional(),
  orientation: z.enum(['landscape', 'portrait', 'square']).optional(),
  minDuration: seconds().describe('Seconds.'),
  maxDuration: seconds(),
  modifiedAfter: time('Changed at this time or later.'),
  modifiedBefore: time('Changed earlier.'),
  takenAfter: time('Taken at this time or later.'),
  takenBefore: time('Taken earlier.'),
  colour: formed('a colour such as ff8800 or f80', (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text))
    .optional()
    .describe('Files whose dominant colour is near this one.'),
};

export const searchedTerms = z
  .string()
  .max(500)
  .optional()
  .describe('Terms, all of which have to occur in names, titles, alts, descriptions or tags.');

/** Query of `GET /assets`, without `field.<name>`. */
export const searchQuery = z.looseObject({
  q: searchedTerms,
  search: searchedPath
    .optional()
    .describe('Words, all of which have to occur in the path below the folder, also as parts of words.'),
  folder: z.string().optional().describe('Only files of this folder; an empty text is the root.'),
  recursive: yesOrNo().default(false).describe('With folder: also those of all folders below it.'),
  kind: z.enum(MEDIA_KINDS).optional(),
  ...conditionsQuery,
  sort: z.enum(SORTS).optional().describe('By default relevance with q, else name.'),
  order: z.enum(ORDERS).default('asc').describe('Not for relevance.'),
  limit: wholeNumber(1, 200).default(50),
  cursor: z.string().max(4000).optional().describe('The nextCursor of the previous page.'),
  facets: formed('some of kind, tag, type, separated by commas', (text) => text.split(',').every(isFacet))
    .optional()
    .describe('Counts by kind, tag or type, separated by commas.'),
});

type Query = z.output<typeof searchQuery>;
type ConditionsQuery = z.output<z.ZodObject<typeof conditionsQuery>>;

/** Converts a query to a search. @throws HttpProblem 400 that names the parameter */
export function searchOf(query: Query): AssetSearch {
  const { q, search, folder, kind, sort, order, limit, cursor, facets } = query;
  const text = q?.trim() || undefined;
  return {
    ...conditionsOf(query),
    fields: fieldsOf(query),
    kind,
    text,
    search,
    folder: folder === undefined ? undefined : parsePath(folder),
    recursive: query.recursive,
    sort: sort ?? (text ? 'relevance' : 'name'),
    order,
    limit,
    cursor,
    facets: FACETS.filter((facet) => facets?.split(',').includes(facet)),
  };
}

/** Conditions of a listing; undefined without any. @throws HttpProblem 400 that names the parameter */
export function listingConditions({ q, ...query }: ConditionsQuery & { q?: string | undefined }) {
  const terms = q?.trim() || undefined;
  const values = Object.keys(conditionsQuery).map((name) => query[name as keyof ConditionsQuery]);
  const isGiven = values.some((value) => value !== undefined && value !== false);
  return isGiven || terms !== undefined ? { ...conditionsOf(query), terms } : undefined;
}

function conditionsOf(query: ConditionsQuery): AssetConditions {
  const { orientation, colour, minDuration, maxDuration } = query;
  const tags = [query.tag ?? []].flat().map((tag) => tag.normalize('NFC'));
  if (tags.some((tag) => tag === '' || tag === '-'))
    throw badRequest('In "tag": expected a tag, received nothing.', 'validation_failed');
  for (const tag of tags) refuseNul('tag', tag);
  return {
    orientation,
    colour: colour && fullColour(colour),
    tags: tags.filter((tag) => !tag.startsWith('-')),
    withoutTags: tags.filter((tag) => tag.startsWith('-')).map((tag) => tag.slice(1)),
    isUntagged: query.untagged,
    hasNoAlt: query.withoutAlt,
    isUndecodable: query.undecodable,
    size: range(query.minSize, query.maxSize),
    width: range(query.minWidth, query.maxWidth),
    height: range(query.minHeight, query.maxHeight),
    duration: range(minDuration && Number(minDuration), maxDuration && Number(maxDuration)),
    modifiedAt: period(query.modifiedAfter, query.modifiedBefore),
    takenAt: period(query.takenAfter, query.takenBefore),
  };
}

type Bound = number | '' | undefined;

const range = (min: Bound, max: Bound): Range => ({
  min: min === '' ? undefined : min,
  max: max === '' ? undefined : max,
});

/** Range of times: from `after`, before `before`. */
const period = (from: string | undefined, before: string | undefined): Range => ({
  min: from === undefined ? undefined : Date.parse(from),
  max: before === undefined ? undefined : Date.parse(before) - 1,
});

function fullColour(colour: string): string {
  const digits = colour.replace('#', '').toLowerCase();
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits}`;
}

/** Custom fields of a query. @throws HttpProblem 400 for unknown parameters */
function fieldsOf(query: Query): Record<string, string> {
  const fields: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (Object.hasOwn(searchQuery.shape, name)) continue;
    if (!name.startsWith(FIELD) || name === FIELD) {
      const message = `Expected the parameters of a search, or "${FIELD}<name>", received ${quote(name)}.`;
      throw badRequest(message, 'validation_failed');
    }
    if (typeof value !== 'string') {
      throw badRequest(`In ${quote(name)}: expected one value, received several.`, 'validation_failed');
    }
    refuseNul(name, name + value);
    fields.push([name.slice(FIELD.length), value]);
  }
  return Object.fromEntries(fields);
}

/** No stored text contains NUL, because PostgreSQL cannot store it. */
function refuseNul(name: string, text: string): void {
  if (!text.includes('\0')) return;
  throw badRequest(`In ${quote(name)}: expected text without NUL, received ${quote(text)}.`, 'validation_failed');
}
