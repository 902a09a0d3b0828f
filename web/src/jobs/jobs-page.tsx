import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../api/access.ts';
import { deleteJobs, JOBS_SHOWN, type JobStatus, jobStatsQuery, retryFailedJobs, workerQuery } from '../api/jobs.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { formatCount } from '../components/format.ts';
import { PageHeader } from '../components/page-header.tsx';
import { Empty, ErrorNotice, errorMessage, Skeleton } from '../components/states.tsx';
import { toast } from '../components/toasts.tsx';
import { messages } from '../messages/en.ts';
import { JobRow } from './job-row.tsx';
import { useLiveJobs } from './use-live-jobs.ts';
import './jobs.css';
import { formatTook } from './took.ts';

const STATUSES: readonly (JobStatus | undefined)[] = [
  undefined,
  'running',
  'pending',
  'completed',
  'error',
  'cancelled',
];

/** `/jobs`: video transcodes. */
export function JobsPage() {
  const [status, setStatus] = useState<JobStatus>();
  const { data, error, refetch } = useLiveJobs(status);
  const hidden = (data?.total ?? 0) - (data?.jobs.length ?? 0);
  return (
    <div className="page">
      <PageHeader title={messages.jobs.title} lead={<WorkerLine />} documentation="jobs">
        {useCan('manage') && <BulkActions status={status} />}
      </PageHeader>
      <StatusTabs status={status} onStatus={setStatus} />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && !error && <Skeleton height={180} />}
      {data?.jobs.length === 0 && (
        <Empty icon="jobs" title={status ? messages.jobs.none[status] : messages.jobs.empty}>
          {status === undefined && messages.jobs.emptyText}
        </Empty>
      )}
      {data !== undefined && data.jobs.length > 0 && (
        <ul className="card rows">
          {data.jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
      {hidden > 0 && <p className="quiet">{messages.jobs.hidden(JOBS_SHOWN, data?.total ?? 0)}</p>}
    </div>
  );
}

function WorkerLine() {
  const { data: worker } = useQuery(workerQuery);
  const { data: stats } = useQuery(jobStatsQuery);
  const average = stats?.throughput.averageDurationMs;
  if (worker?.maxConcurrent === 0) return messages.jobs.noWorker;
  return (
    <>
      {worker && messages.jobs.workers(worker.processingCount, worker.maxConcurrent)}
      {average ? ` · ${messages.jobs.average(formatTook(average / 1000))}` : ''}
    </>
  );
}

function StatusTabs({ status, onStatus }: { status: JobStatus | undefined; onStatus(status?: JobStatus): void }) {
  const { data } = useQuery(jobStatsQuery);
  const all = data && STATUSES.reduce((sum, one) => sum + (one === undefined ? 0 : data[one]), 0);
  return (
    <fieldset className="tabs">
      <legend className="unseen">{messages.jobs.show}</legend>
      {STATUSES.map((one) => (
        <button
          key={one ?? 'all'}
          type="button"
          className="tab"
          aria-pressed={one === status}
          onClick={() => onStatus(one)}
        >
          {one === undefined ? messages.jobs.all : messages.jobs.status[one]}
          <span className="tab-count number">
            {data ? formatCount(one === undefined ? (all ?? 0) : data[one]) : ''}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

/** Actions for all jobs of a state. */
function BulkActions({ status }: { status: JobStatus | undefined }) {
  const client = useQueryClient();
  const { data } = useQuery(jobStatsQuery);
  const [isConfirming, setConfirming] = useState(false);
  if (status === undefined || status === 'running' || !data?.[status]) return null;
  const again = () => client.invalidateQueries({ queryKey: ['jobs'] });
  const retry = () =>
    retryFailedJobs()
      .then(({ count }) => toast(messages.jobs.retried(count)))
      .catch((error) => toast(errorMessage(error)))
      .then(again);
  const clear = async () => {
    const { count } = await deleteJobs(status);
    toast(messages.jobs.cleared(count));
    await again();
  };
  return (
    <>
      {status === 'error' && (
        <Button icon="refresh" onPress={retry}>
          {messages.jobs.retryAll}
        </Button>
      )}
      <Button icon="trash" onPress={() => setConfirming(true)}>
        {messages.jobs.clear[status]}
      </Button>
      {isConfirming && (
        <Confirm
          title={messages.jobs.clearTitle(data[status])}
          text={messages.jobs.clearText}
          action={messages.jobs.clear[status]}
          onConfirm={clear}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}
