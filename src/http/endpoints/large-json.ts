import { inPieces } from '../../runtime/in-pieces.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Longer lists are serialized in pieces: 40,000 files in one piece block all other requests for a tenth of a second.
 */
const LONG = 1000;

/** True for a response with a long list among its fields. */
export function hasLongList(answer: unknown): answer is Record<string, unknown> {
  if (typeof answer !== 'object' || answer === null || 'toJSON' in answer) return false;
  return Object.values(answer).some(isLong);
}

/** The JSON of a response, identical to the result of `JSON.stringify`. Other requests run meanwhile. */
export async function jsonInPieces(answer: Record<string, unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let separator = '{';
  for (const [name, value] of Object.entries(answer)) {
    const text = isLong(value) ? '' : JSON.stringify(value);
    if (text === undefined) continue;
    parts.push(Buffer.from(`${separator}${JSON.stringify(name)}:${text}`));
    if (isLong(value)) parts.push(...(await listInPieces(value)));
    separator = ',';
  }
  parts.push(Buffer.from('}'));
  return Buffer.concat(parts);
}

async function listInPieces(items: readonly unknown[]): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let separator = '[';
  for await (const piece of inPieces(items)) {
    parts.push(Buffer.from(separator + JSON.stringify(piece).slice(1, -1)));
    separator = ',';
  }
  parts.push(Buffer.from(']'));
  return parts;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > LONG;
}
