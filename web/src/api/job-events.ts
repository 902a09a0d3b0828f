import { urlOf } from './base.ts';

/** Event of a job from the event stream. */
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
 * Subscribes while the tab is visible: a stream occupies one of the few connections per host.
 * @param onOpen called on every (re)connect: events in between are lost
 * @returns unsubscribes
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
