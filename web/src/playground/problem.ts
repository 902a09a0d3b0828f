import type { Parameter } from '../api/types.ts';
import { baseOf, isLayer, type Layer, layersOf, readLayer } from './layered.ts';
import { partValue } from './parts.ts';
import type { Listing } from './segment.ts';

/** What is wrong with a segment. */
export interface Problem {
  /** The parameter that a message of the service names. */
  key: string | undefined;
  /** The message without it. */
  text: string;
}

/** A problem, and the layer that it is in; undefined for what stands before the layers. */
export interface LocatedProblem extends Problem {
  layer: number | undefined;
}

/** What a message of the service says, in short. */
export function problemOf(message: string): Problem {
  const [, key, text] = /parameter "([^"]+)": (.+)$/is.exec(message) ?? [];
  if (key !== undefined && text !== undefined) return { key, text: capital(text) };
  const [, reason = message] = /is no transformation: (?:in the layer [^,]+, )?(.+)$/s.exec(message) ?? [];
  return { key: undefined, text: capital(reason) };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The parameters of a layer. */
export const listOf = ({ source }: Layer, listing: Listing): readonly Parameter[] =>
  source.kind === 'text' ? listing.text : listing.layer;

/**
 * The same with the layer that is meant. A message names a layer, its file or its text, or only what it has received: then it is the
 * first place with that value.
 * @param parameters of what stands before the layers
 */
export function locateProblem(
  message: string,
  { segment, listing, parameters }: { segment: string; listing: Listing; parameters: readonly Parameter[] },
): LocatedProblem {
  const problem = problemOf(message);
  const isAffected = matcherOf(message, problem, listing);
  const { key } = problem;
  const inBase = key !== undefined && partValue(baseOf(segment), key, parameters) === receivedIn(message);
  const index = inBase ? -1 : layersOf(segment).findIndex(isAffected);
  return { ...problem, layer: index < 0 ? undefined : index };
}

/** Whether a layer, as it is written, is what a message means. */
function matcherOf(message: string, { key }: Problem, listing: Listing): (written: string) => boolean {
  const [, named] = /in the layer ([^,]+), /.exec(message) ?? [];
  const isUnnamed = message.includes('a layer needs a name');
  const received = receivedIn(message);
  const quoted = quotedIn(message);
  return (written) => {
    const layer = readLayer(written);
    if (!layer) return !isLayer(written) || (key === 'l' && written.includes(received ?? ''));
    if (named !== undefined) return written.split(',', 1)[0] === named;
    const content = layer.source.kind === 'text' ? layer.source.text : layer.source.path;
    if (content === '') return isUnnamed;
    if (key === undefined || key === 'l') return quoted.some((text) => isOf(text, content));
    return received !== undefined && partValue(layer.parts, key, listOf(layer, listing)) === received;
  };
}

/** The value that a message quotes last, as it was written. */
const receivedIn = (message: string) =>
  quotedIn(message)
    .at(-1)
    ?.replace(/ times dpr_[\d.]+$/, '');

function quotedIn(message: string): string[] {
  return [...message.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => unquoted(text));
}

/** Long texts are quoted in part. */
const isOf = (quoted: string, text: string) =>
  quoted === text || (quoted.endsWith('…') && text.startsWith(quoted.slice(0, -1)));

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
