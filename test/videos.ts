import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JobEvent } from '../src/jobs/events.ts';
import type { StoragePath } from '../src/path.ts';
import { startService, type TestService } from './service.ts';
import { colourPerSecond, H264, redLeftBlueRight, type Studio, tone } from './video-samples.ts';

/** Helpers shared by the tests of videos over HTTP. */
export interface VideoService extends TestService {
  /** Writes a file into the folder of uploads, like an administrator. */
  place(name: string, bytes: Uint8Array | string): Promise<void>;
  /** Waits for the first later event that matches. */
  event(type: JobEvent['type'], jobId?: string): Promise<JobEvent>;
  /** Returns the ids of the jobs of a file, newest first. */
  jobsOf(path: string): Promise<string[]>;
  /** Waits until all jobs of a file have ended. */
  allEnded(path: string): Promise<void>;
  /** Waits until the newest job of a file has ended; returns its outcome. */
  ended(path: string): Promise<'completed' | 'error'>;
}

/** Starts the service without its worker: jobs wait until a test calls `services.worker?.start()`. */
export async function startVideoService(environment: Record<string, string> = {}): Promise<VideoService> {
  const service = await startService({
    PUBLIC_RATE_LIMIT_MAX: '0',
    VIDEO_JOB_RETRY_DELAY_MS: '1',
    VIDEO_POLL_INTERVAL_MS: '60000',
    ...environment,
  });
  const { events, queue } = service.services;

  function event(type: JobEvent['type'], jobId?: string): Promise<JobEvent> {
    const { promise, resolve } = Promise.withResolvers<JobEvent>();
    const leave = events.subscribe((one) => {
      if (one.type === type && (jobId === undefined || one.data.jobId === jobId)) resolve(one);
    });
    return promise.finally(leave);
  }

  async function jobsOf(path: string): Promise<string[]> {
    const { jobs } = await queue.jobs.list({ path: path as StoragePath, limit: 1000, offset: 0 });
    return jobs.map(({ id }) => id);
  }

  async function endOf(id: string): Promise<'completed' | 'error'> {
    const either = Promise.race([event('job:completed', id), event('job:error', id)]);
    const job = await queue.jobs.find(id);
    if (job?.status === 'completed' || job?.status === 'error') return job.status;
    return (await either).type === 'job:completed' ? 'completed' : 'error';
  }

  return {
    ...service,
    event,
    jobsOf,
    async allEnded(path) {
      await Promise.all((await jobsOf(path)).map(endOf));
    },
    async place(name, bytes) {
      const file = join(service.originals, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    },
    async ended(path) {
      const [id] = await jobsOf(path);
      if (id === undefined) throw new Error(`There is no job of ${path}.`);
      return endOf(id);
    },
  };
}

/** Creates four seconds of 160 x 90, red, lime, blue and white, with a tone. */
export async function colourFilm({ make }: Studio): Promise<Buffer> {
  return readFile(await make('film.mp4', ...colourPerSecond(), ...tone(4), '-c:a', 'aac', ...H264));
}

/** Creates one second of 160 x 90, its left half red, its right half blue. */
export async function sidesFilm({ make }: Studio): Promise<Buffer> {
  return readFile(await make('sides.mp4', ...redLeftBlueRight(), ...H264));
}
