import { ProgressBar } from 'react-aria-components/ProgressBar';
import { Button } from '../../components/button.tsx';
import { messages } from '../../messages/en.ts';
import { dismissWork, useWork } from './work.ts';

/** Progress and failures of a batch. */
export function WorkPanel() {
  const work = useWork();
  if (work === undefined || (!work.isOver && work.total < 2)) return null;
  const { action, done, total, failed, isOver, cancel } = work;
  return (
    <section className="work" aria-label={messages.files.working[action.action]}>
      <header>
        <h2>{isOver ? messages.files.failures(failed.length) : messages.files.working[action.action]}</h2>
        {isOver ? (
          <Button variant="plain" icon="close" aria-label={messages.close} onPress={dismissWork} />
        ) : (
          <Button variant="plain" onPress={cancel}>
            {messages.cancel}
          </Button>
        )}
      </header>
      {!isOver && (
        <ProgressBar
          className="progress"
          aria-label={messages.files.working[action.action]}
          value={done}
          maxValue={total}
        >
          {({ percentage = 0 }) => (
            <>
              <div className="progress-track">
                <div className="progress-bar" style={{ width: `${percentage}%` }} />
              </div>
              <span className="quiet number">{messages.files.progress(done, total)}</span>
            </>
          )}
        </ProgressBar>
      )}
      {isOver && (
        <ul className="work-failures">
          {failed.slice(0, 100).map(({ path, error }) => (
            <li key={path}>
              <strong>{path}</strong>
              <span className="quiet">{error}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
