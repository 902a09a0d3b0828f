import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../../errors.ts';
import type { ByteRange } from '../../storage/blob-store.ts';
import { parseHttpDate } from './http-date.ts';

/** The facts about a file that conditions and ranges are compared with. */
export interface Validators {
  size: number;
  /** Strong, with its quotes. */
  etag: string;
  modifiedAt: Date | undefined;
}

/**
 * Evaluates the conditions and the range of a request by RFC 9110: the whole representation, a part, or nothing because
 * the client already has it.
 * @throws HttpProblem 412 when a precondition fails, 416 when no part of the requested range exists
 */
export function evaluateConditions(request: IncomingMessage, file: Validators): 'whole' | 'not modified' | ByteRange {
  const state = evaluatePreconditions(request, file);
  if (state === 'failed') {
    throw new HttpProblem(
      'precondition_failed',
      `The file is not the one that was expected; its ETag is ${file.etag}.`,
    );
  }
  return state === 'not modified' ? state : requestedRange(request, file);
}

/** RFC 9110, 13.2.2: the order of preconditions. */
export function evaluatePreconditions(
  { headers }: Pick<IncomingMessage, 'headers'>,
  file: Omit<Validators, 'size'>,
): 'not modified' | 'go on' | 'failed' {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifMatch !== undefined) {
    if (!listsEtag(ifMatch, file.etag, 'strong')) return 'failed';
  } else if (isModifiedSince(file, headers['if-unmodified-since']) === true) return 'failed';
  if (ifNoneMatch !== undefined) return listsEtag(ifNoneMatch, file.etag, 'weak') ? 'not modified' : 'go on';
  return isModifiedSince(file, headers['if-modified-since']) === false ? 'not modified' : 'go on';
}

function listsEtag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  const tags = list.split(',').map((tag) => tag.trim());
  return tags.includes(etag) || (comparison === 'weak' && tags.includes(`W/${etag}`));
}

/**
 * Undefined without an HTTP date: such a condition is ignored (RFC 9110, 13.1.3 and 13.1.4). HTTP dates have whole
 * seconds.
 */
function isModifiedSince({ modifiedAt }: Omit<Validators, 'size'>, header: string | undefined): boolean | undefined {
  const date = header === undefined ? undefined : parseHttpDate(header);
  return date === undefined || !modifiedAt
    ? undefined
    : Math.floor(modifiedAt.getTime() / 1000) > Math.floor(date / 1000);
}

/**
 * One range gets a partial response. Several ranges, or a header in another format, get the whole file, as RFC 9110
 * allows.
 */
function requestedRange({ headers, method }: IncomingMessage, file: Validators): 'whole' | ByteRange {
  if (method !== 'GET' || headers.range === undefined || !isCurrent(headers['if-range'], file)) return 'whole';
  const ranges = readRanges(headers.range, file.size);
  if (ranges?.length === 0) {
    throw new HttpProblem('range_not_satisfiable', `The file has ${file.size} bytes.`, {
      headers: { 'Content-Range': `bytes */${file.size}` },
    });
  }
  return ranges?.length === 1 && ranges[0] ? ranges[0] : 'whole';
}

/** The ranges that lie within the file (RFC 9110, 14.1.2); undefined when the header has another format. */
function readRanges(header: string, size: number): ByteRange[] | undefined {
  const list = /^bytes=(.*)$/i.exec(header)?.[1];
  const ranges: ByteRange[] = [];
  for (const text of list?.split(',') ?? ['']) {
    const [, first = '', last = ''] = /^(\d*)-(\d*)$/.exec(text.trim()) ?? [];
    if (first === '' && last === '') return undefined;
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
    const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
    if (start <= end) ranges.push({ start, end });
  }
  return ranges;
}

/** `If-Range` needs a strong match: exactly the ETag, or exactly the date. */
function isCurrent(ifRange: string | string[] | undefined, file: Validators): boolean {
  return ifRange === undefined || ifRange === file.etag || ifRange === file.modifiedAt?.toUTCString();
}
