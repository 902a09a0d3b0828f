import type { Parameter } from '../api/types.ts';
import { baseOf, isLayer, type Layer, layersOf, readLayer } from './layered.ts';
import { partValue } from './parts.ts';
import type { Listing } from './segment.ts';

/** Error in a segment. */
export interface Problem {
  /** Parameter named by the service. */
  key: string | undefined;
  /** Message without the parameter. */
  text: string;
}

/** Error with its layer; undefined for the base. */
export interface LocatedProblem extends Problem {
  layer: number | undefined;
}

/** Extracts the parameter and the reason from a message of the service. */
export function problemOf(message: string): Problem {
  const [, key, text] = /parameter "([^"]+)": (.+)$/is.exec(message) ?? [];
  if (key !== undefined && text !== undefined) return { key, text: capital(text) };
  const [, reason = message] = /is no transformation: (?:in the layer [^,]+, )?(.+)$/s.exec(message) ?? [];
  return { key: undefined, text: capital(reason) };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Parameters of a layer. */
export const listOf = ({ source }: Layer, listing: Listing): readonly Parameter[] =>
  source.kind === 'text' ? listing.text : listing.layer;

/**
 * Locates an error. A message names a layer, its file or text, or only the received value: then the first part with
 * that value is assumed.
 * @param parameters of the base
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

/** Predicate for layers that a message refers to. */
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

/** Last quoted value of a message. */
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
