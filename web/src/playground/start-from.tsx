import type { Parameter } from '../api/types.ts';
import { messages } from '../messages/en.ts';
import { baseOf, withBase } from './layered.ts';
import { readParts } from './parts.ts';
import { type Listing, segmentOfPreset } from './segment.ts';

const { templates } = messages.playground;

/** Usual sizes. */
const TEMPLATES = [
  [templates.thumbnail, 'w_400,h_300,c_fill'],
  [templates.avatar, 'w_256,h_256,c_fill,g_face,r_max'],
  [templates.hero, 'w_1600'],
  [templates.social, 'w_1200,h_630,c_fill'],
] as const;

export interface StartFromProps {
  typed: string;
  presets: Listing['presets'];
  /** Parameters of the file: templates with others are left out. */
  parameters: readonly Parameter[];
  onChange(segment: string): void;
}

/** Common transformations and presets to start with. Templates keep the layers, and a frame its time. */
export function StartFrom({ typed, presets, parameters, onChange }: StartFromProps) {
  const known = TEMPLATES.filter(([, base]) => readParts(base, parameters).every(({ key }) => key !== ''));
  const kept = readParts(baseOf(typed), parameters).filter(({ key }) => ['t', 'tt', 'so', 'eo'].includes(key));
  const start = (base: string) => withBase(typed, [...kept.map(({ text }) => text), base].join(','));
  return (
    <fieldset className="play-presets">
      <legend className="unseen">{messages.playground.startFrom}</legend>
      <span className="quiet" aria-hidden="true">
        {messages.playground.startFrom}
      </span>
      {known.map(([name, base]) => (
        <Chip key={name} text={name} title={base} isOn={typed === start(base)} onPress={() => onChange(start(base))} />
      ))}
      {presets.map(({ name, transformation }) => (
        <Chip
          key={name}
          text={name}
          title={transformation}
          isOn={typed === segmentOfPreset(name)}
          onPress={() => onChange(segmentOfPreset(name))}
        />
      ))}
    </fieldset>
  );
}

function Chip({ text, title, isOn, onPress }: { text: string; title: string; isOn: boolean; onPress(): void }) {
  return (
    <button type="button" className="chip" title={title} aria-pressed={isOn} onClick={onPress}>
      {text}
    </button>
  );
}
