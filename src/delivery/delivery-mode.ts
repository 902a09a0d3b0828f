import { forbidden, HttpProblem, unsigned } from '../errors.ts';
import { quote } from '../path.ts';
import { isPreset } from './presets.ts';
import { canonicalOf, partsOf, subjectOf } from './streaming/ladder.ts';
import { type DeliveryRequest, readTransformation, type UrlRules } from './url.ts';

/** Values of `DELIVERY_MODE`. */
export type DeliveryMode = 'open' | 'presets' | 'signed';

/** Returns the error for a request without signature, key or session; undefined if the mode allows it. */
export function refuseUnsigned(
  requested: DeliveryRequest,
  mode: DeliveryMode,
  rules: StreamRules,
): HttpProblem | undefined {
  if (mode === 'signed') return signatureRequired();
  if (mode === 'open' || !requested.transformation || isPreset(requested.segment, rules.presets)) return undefined;
  if (belongsToPreset(requested, rules)) return undefined;
  const names = Object.keys(rules.presets ?? {}).map((name) => `n_${name}`);
  const message = `Expected one of the presets ${names.join(', ')}, received ${quote(requested.segment)}.`;
  return forbidden(message, 'preset_required');
}

export function signatureRequired(): HttpProblem {
  const message = 'Expected a signed URL, /authenticated/s--<signature>/..., or a key or session that may read.';
  return unsigned(message, 'signature_required');
}

export interface StreamRules extends UrlRules {
  /** STREAM_HEIGHTS, ascending. */
  streamHeights: readonly number[];
}

/** True for files and playlists that a preset with a playlist leads to. */
function belongsToPreset({ type, transformation }: DeliveryRequest, rules: StreamRules): boolean {
  if (transformation?.kind !== 'transcode' && transformation?.kind !== 'playlist') return false;
  const requested = canonicalOf(transformation.options);
  return Object.values(rules.presets ?? {}).some((segment) => partsOfPreset(segment, type, rules).has(requested));
}

function partsOfPreset(segment: string, type: DeliveryRequest['type'], rules: StreamRules): Set<string> {
  const preset = readPreset(segment, type, rules);
  if (preset?.kind !== 'playlist') return new Set();
  const { options } = preset;
  const subject = subjectOf(options);
  return subject ? new Set([canonicalOf(subject)]) : partsOf(options, rules.streamHeights);
}

/** Reads a preset; undefined if it does not fit this type of file. */
function readPreset(segment: string, type: DeliveryRequest['type'], rules: StreamRules) {
  try {
    return readTransformation(segment, type, rules);
  } catch (error) {
    if (error instanceof HttpProblem) return undefined;
    throw error;
  }
}
