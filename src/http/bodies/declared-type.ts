import { EventEmitter } from 'node:events';
import type { BusboyInstance } from '@fastify/busboy';

/** The default type of a multipart part without one (RFC 7578, 4.4). */
const STANDARD = 'text/plain';

/**
 * Creates the function that returns the type that the last part declared, from the type that its parser
 * reports; empty when it declared none.
 *
 * The parser reports `text/plain` both for a part without a type and for text. They differ in the headers, which only
 * the parser's inner parser shows. It is not part of the documented interface: where it is missing, `text/plain` counts
 * as no type.
 */
export function readDeclaredTypes(parser: BusboyInstance): (reported: string) => string {
  const { _parser: inner }: { _parser?: { parser?: unknown } } = parser as object;
  const dicer = inner?.parser;
  if (!(dicer instanceof EventEmitter)) return (reported) => (reported === STANDARD ? '' : reported);
  let isDeclared = false;
  dicer.prependListener('part', (part: EventEmitter) => {
    part.once('header', (header: Record<string, unknown>) => {
      isDeclared = header['content-type'] !== undefined;
    });
  });
  return (reported) => (isDeclared ? reported : '');
}
