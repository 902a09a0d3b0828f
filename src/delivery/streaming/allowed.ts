import { HttpProblem } from '../../errors.ts';
import { type DeliveryRequest, readTransformation, type UrlRules } from '../url.ts';
import { canonicalOf, partsOf, subjectOf } from './ladder.ts';

export interface StreamRules extends UrlRules {
  /** STREAM_HEIGHTS, ascending. */
  streamHeights: readonly number[];
}

/** Whether a request is for a file or a playlist that a playlist among the presets leads to. */
export function belongsToPreset({ type, transformation }: DeliveryRequest, rules: StreamRules): boolean {
  if (transformation?.kind !== 'transcode' && transformation?.kind !== 'playlist') return false;
  const asked = canonicalOf(transformation.options);
  return Object.values(rules.presets ?? {}).some((segment) => partsOfPreset(segment, type, rules).has(asked));
}

function partsOfPreset(segment: string, type: DeliveryRequest['type'], rules: StreamRules): Set<string> {
  const preset = readPreset(segment, type, rules);
  if (preset?.kind !== 'playlist') return new Set();
  const { options } = preset;
  const subject = subjectOf(options);
  return subject ? new Set([canonicalOf(subject)]) : partsOf(options, rules.streamHeights);
}

/** A preset need not be one for this type of file. */
function readPreset(segment: string, type: DeliveryRequest['type'], rules: StreamRules) {
  try {
    return readTransformation(segment, type, rules);
  } catch (error) {
    if (error instanceof HttpProblem) return undefined;
    throw error;
  }
}
