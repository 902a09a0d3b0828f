import { urlOf } from './base.ts';

/** What happens to a job, as it happens. */
export interface JobEvent {
  type: (typeof TYPES)[number];
  jobId: string;
  progress?: number;
  error?: string;
}

const TYPES = [
  'job:created',
  'job:started',
  'job:progress',
  'job:completed',
  'job:error',
  'job:cancelled',
  'job:deleted',
] as const;

/**
 * Listens while the tab is visible: browsers give a host few connections, and a stream holds one.
 * @param onOpen when it begins, and again when the tab comes back: what happened meanwhile is not told
 * @returns what ends it
 */
export function listenToJobs(onEvent: (event: JobEvent) => void, onOpen: () => void): () => void {
  let source: EventSource | undefined;
  const open = () => {
    source = new EventSource(urlOf('queue/events'));
    source.onopen = onOpen;
    for (const type of TYPES)
      source.addEventListener(type, ({ data }) => onEvent({ type, ...(JSON.parse(data) as Omit<JobEvent, 'type'>) }));
  };
  const close = () => {
    source?.close();
    source = undefined;
  };
  const follow = () => (document.hidden ? close() : source === undefined && open());
  follow();
  document.addEventListener('visibilitychange', follow);
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close();
  };
}
