import { EventEmitter } from 'node:events';
import type { BusboyInstance } from '@fastify/busboy';

/** What a part of a form that has no type is said to be (RFC 7578, 4.4). */
const STANDARD = 'text/plain';

/**
 * Makes the function that gives the type that the last part of a form declared, from the type that its parser tells; empty
 * when it declared none.
 *
 * The parser tells both of a part without a type and of a text that it is `text/plain`. They differ in the headers, which only
 * the parser inside the parser shows. It is no part of the documented interface: where it is not found, `text/plain` is taken
 * for no type.
 */
export function readDeclaredTypes(parser: BusboyInstance): (told: string) => string {
  const { _parser: inner }: { _parser?: { parser?: unknown } } = parser as object;
  const dicer = inner?.parser;
  if (!(dicer instanceof EventEmitter)) return (told) => (told === STANDARD ? '' : told);
  let isDeclared = false;
  dicer.prependListener('part', (part: EventEmitter) => {
    part.once('header', (header: Record<string, unknown>) => {
      isDeclared = header['content-type'] !== undefined;
    });
  });
  return (told) => (isDeclared ? told : '');
}
