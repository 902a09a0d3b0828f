import { Button } from '../components/button.tsx';
import { messages } from '../messages/en.ts';
import { tidy } from './layered.ts';
import { StartFrom, type StartFromProps } from './start-from.tsx';

interface SegmentBarProps extends StartFromProps {
  path: string;
  /** Id of the error in the segment, where the page shows it. */
  problemId: string | undefined;
}

/** Transformation as text, with common ones to start from. */
export function SegmentBar({ path, problemId, ...rest }: SegmentBarProps) {
  const { typed, onChange } = rest;
  return (
    <div className="play-bar">
      <div className={`play-url${problemId ? ' is-bad' : ''}`}>
        <span aria-hidden="true">/t/</span>
        <input
          className="play-segment"
          aria-label={messages.playground.segment}
          aria-describedby={problemId}
          aria-invalid={problemId !== undefined}
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
      <StartFrom {...rest} />
    </div>
  );
}
