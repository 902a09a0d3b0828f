import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, payloadTooLarge } from '../../errors.ts';

export interface JsonLimits {
  /** Maximum length of a body, in bytes. */
  maxBytes: number;
  /** Maximum depth of nested lists and objects. */
  maxDepth: number;
  /** Maximum number of values in a body, in all lists and objects together. */
  maxValues: number;
}

const FIRST_BYTES = 1024;

/**
 * Reads the bodies that are not multipart, for every endpoint, within limits: without them a client could make the
 * parser use up the memory, the stack or the time of the process. An empty body counts as none, because clients declare
 * the type of a body that they do not send.
 */
export function readJsonBodies(app: FastifyInstance, limits: JsonLimits): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', async (request: FastifyRequest, body: IncomingMessage) => {
    const text = await readText(body, limits.maxBytes);
    if (text === '') return undefined;
    refuseExcess(text, limits);
    return new Promise((resolve, reject) => {
      parse(request, text, (error, value) => (error ? reject(error) : resolve(value)));
    });
  });
  // No endpoint takes text; its schema then reports what it expects.
  app.addContentTypeParser('text/plain', async (_request: FastifyRequest, body: IncomingMessage) =>
    readText(body, limits.maxBytes),
  );
}

/**
 * Reads a whole stream as UTF-8. Each chunk is copied and released: a body may come in chunks of one byte, and each
 * retained chunk takes a hundred bytes.
 * @throws HttpProblem 413 as soon as it is too long
 */
export function readText(body: IncomingMessage, maxBytes: number): Promise<string> {
  const tooLong = () => payloadTooLarge(`Expected a body of at most ${maxBytes / 1024 / 1024} MB (MAX_JSON_SIZE_MB).`);
  // A request without a body emits no events.
  if (body.readableEnded) return Promise.resolve('');
  return new Promise((resolve, reject) => {
    if (Number(body.headers['content-length']) > maxBytes) return reject(tooLong());
    let held: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
    let length = 0;
    const add = (chunk: Buffer) => {
      const needed = length + chunk.length;
      if (needed > maxBytes) {
        body.off('data', add);
        return reject(tooLong());
      }
      if (needed > held.length) held = Buffer.concat([held], Math.min(maxBytes, Math.max(needed, 2 * held.length)));
      length += chunk.copy(held, length);
    };
    body.on('data', add);
    body.once('end', () => resolve(held.toString('utf8', 0, length)));
    body.once('error', reject);
  });
}

const QUOTE = '"';
const ESCAPE = '\\';

/** Checks the text before it is parsed. @throws HttpProblem 400 */
function refuseExcess(text: string, { maxDepth, maxValues }: JsonLimits): void {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === QUOTE) i = endOfText(text, i);
    else if (character === '[' || character === '{') {
      depth++;
      values++;
    } else if (character === ']' || character === '}') depth--;
    else if (character === ',') values++;
    if (depth > maxDepth) {
      const message = `Expected lists and objects at most ${maxDepth} deep inside one another (MAX_JSON_DEPTH).`;
      throw badRequest(message, 'too_many_items');
    }
    if (values > maxValues)
      throw badRequest(`Expected a body of at most ${maxValues} values (MAX_JSON_VALUES).`, 'too_many_items');
  }
}

/** @param start the position of the opening quotation mark */
function endOfText(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== QUOTE) i += text[i] === ESCAPE ? 2 : 1;
  return i;
}
