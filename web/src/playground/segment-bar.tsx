import { Button } from '../components/button.tsx';
import { messages } from '../messages/en.ts';
import { tidy } from './layered.ts';
import { type Listing, segmentOfPreset } from './segment.ts';

interface SegmentBarProps {
  typed: string;
  presets: Listing['presets'];
  path: string;
  /** Error in the segment. */
  problem: string | undefined;
  onChange(segment: string): void;
}

/** Transformation as text, with presets. */
export function SegmentBar({ typed, presets, path, problem, onChange }: SegmentBarProps) {
  return (
    <div className="play-bar">
      <div className={`play-url${problem ? ' is-bad' : ''}`}>
        <span aria-hidden="true">/t/</span>
        <input
          className="play-segment"
          aria-label={messages.playground.segment}
          aria-describedby={problem ? 'segment-problem' : undefined}
          aria-invalid={problem !== undefined}
          placeholder={messages.playground.segmentHint}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={typed}
          onChange={({ target }) => onChange(tidy(target.value))}
        />
        <span className="play-rest" aria-hidden="true">
          /{path}
        </span>
        {typed !== '' && (
          <Button variant="plain" icon="undo" onPress={() => onChange('')}>
            {messages.playground.reset}
          </Button>
        )}
      </div>
      {problem && (
        <p id="segment-problem" className="field-error" role="alert">
          {problem}
        </p>
      )}
      {presets.length > 0 && <Presets typed={typed} presets={presets} onChange={onChange} />}
    </div>
  );
}

function Presets({ typed, presets, onChange }: Pick<SegmentBarProps, 'typed' | 'presets' | 'onChange'>) {
  return (
    <fieldset className="play-presets">
      <legend className="unseen">{messages.playground.presets}</legend>
      {presets.map(({ name, transformation }) => (
        <button
          key={name}
          type="button"
          className="chip"
          title={transformation}
          aria-pressed={typed === segmentOfPreset(name)}
          onClick={() => onChange(segmentOfPreset(name))}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
