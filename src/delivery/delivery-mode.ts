import { forbidden, type HttpProblem, unsigned } from '../errors.ts';
import { quote } from '../path.ts';
import { isPreset } from './presets.ts';
import { belongsToPreset, type StreamRules } from './streaming/allowed.ts';
import type { DeliveryRequest } from './url.ts';

/** The values of `DELIVERY_MODE`. */
export type DeliveryMode = 'open' | 'presets' | 'signed';

/** The refusal of a request without a signature, a key or a session; undefined where the mode allows it. */
export function refuseUnsigned(
  wanted: DeliveryRequest,
  mode: DeliveryMode,
  rules: StreamRules,
): HttpProblem | undefined {
  if (mode === 'signed') return signatureRequired();
  if (mode === 'open' || !wanted.transformation || isPreset(wanted.segment, rules.presets)) return undefined;
  if (belongsToPreset(wanted, rules)) return undefined;
  const names = Object.keys(rules.presets ?? {}).map((name) => `n_${name}`);
  const message = `Expected one of the presets ${names.join(', ')}, received ${quote(wanted.segment)}.`;
  return forbidden(message, 'preset_required');
}

export function signatureRequired(): HttpProblem {
  const message = 'This service delivers signed URLs only: /authenticated/s--<signature>/...';
  return unsigned(message, 'signature_required');
}
