import { useEffect, useState } from 'react';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { useCan } from '../api/access.ts';
import { linkOf } from '../api/base.ts';
import { cancelJob, deleteJob, retryJob } from '../api/jobs.ts';
import type { Job } from '../api/types.ts';
import { Button, ButtonLink } from '../components/button.tsx';
import { formatAgo, formatSeconds } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { errorMessage } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { formatTook } from './took.ts';

export function JobRow({ job }: { job: Job }) {
  const { filePath, transformation, status, progress, error } = job;
  return (
    <li className="job-row">
      <span className={`row-sign is-${status}`}>
        <Icon name={SIGNS[status]} />
      </span>
      <div className="job-name">
        <h2 title={filePath}>{filePath}</h2>
        {transformation && <code>{transformation}</code>}
      </div>
      <div className="job-state quiet number">
        {status === 'running' ? (
          <ProgressBar className="progress" aria-label={messages.jobs.progress(filePath)} value={progress}>
            <div className="progress-track">
              <div className="progress-bar" style={{ width: `${progress}%` }} />
            </div>
            <span>
              {Math.round(progress)}% · <Elapsed since={job.startedAt} />
            </span>
          </ProgressBar>
        ) : (
          <span>{stateOf(job)}</span>
        )}
      </div>
      <Actions job={job} />
      {error && <p className="job-error">{error}</p>}
    </li>
  );
}

const SIGNS = { pending: 'clock', running: 'play', completed: 'check', error: 'alert', cancelled: 'close' } as const;

function stateOf({ status, createdAt, startedAt, completedAt, attempts }: Job): string {
  if (status === 'pending') return messages.jobs.queued(formatAgo(createdAt));
  const took = startedAt && completedAt ? (Date.parse(completedAt) - Date.parse(startedAt)) / 1000 : 0;
  const done = messages.jobs.since(messages.jobs.status[status], formatAgo(completedAt ?? createdAt));
  if (status === 'completed' && took > 0) return `${done} · ${messages.jobs.took(formatTook(took))}`;
  return status === 'error' && attempts > 1 ? `${done} · ${messages.jobs.attempts(attempts)}` : done;
}

/** Running duration. */
function Elapsed({ since }: { since: string | null }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <>{formatSeconds(Math.max(0, (now - Date.parse(since ?? new Date(now).toISOString())) / 1000))}</>;
}

/** Actions available in the state of a job. */
function Actions({ job: { id, status, url, filePath } }: { job: Job }) {
  const canManage = useCan('manage');
  const run = (request: Promise<unknown>) => void request.catch((error) => toast(errorMessage(error)));
  if (!canManage && status !== 'completed') return null;
  if (status === 'pending')
    return (
      <Button aria-label={messages.jobs.cancelOne(filePath)} onPress={() => run(cancelJob(id))}>
        {messages.jobs.cancel}
      </Button>
    );
  if (status === 'running')
    return (
      <Button icon="stop" aria-label={messages.jobs.stopOne(filePath)} onPress={() => run(deleteJob(id))}>
        {messages.jobs.stop}
      </Button>
    );
  return (
    <div className="job-actions">
      {status === 'completed' && (
        <ButtonLink icon="external" href={linkOf(url)} target="_blank">
          {messages.jobs.open}
        </ButtonLink>
      )}
      {status === 'error' && (
        <Button icon="refresh" aria-label={messages.jobs.retryOne(filePath)} onPress={() => run(retryJob(id))}>
          {messages.jobs.retry}
        </Button>
      )}
      {canManage && (
        <Button
          variant="plain"
          icon="close"
          aria-label={messages.jobs.removeOne(filePath)}
          onPress={() => run(deleteJob(id))}
        />
      )}
    </div>
  );
}
