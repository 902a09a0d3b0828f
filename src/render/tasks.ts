import type { ConvertRequest, ConvertResult } from '../image/convert.ts';
import type { FocusRequest, FocusResult } from '../image/focus/find-focus.ts';
import type { Room } from '../image/memory.ts';
import type { RenderRequest, RenderResult } from '../image/pipeline.ts';

/** What a render worker can do: plain data in, plain data out. What would take more than its room throws NeedsRoom before it does. */
export interface RenderTasks {
  render(request: RenderRequest, room: Room): Promise<RenderResult>;
  convertHeic(request: ConvertRequest, room: Room): Promise<ConvertResult>;
  findFocus(request: FocusRequest, room: Room): Promise<FocusResult>;
  /** Whether faces can be found, and why not. */
  faceDetection(request: undefined): Promise<{ available: true } | { available: false; reason: string }>;
}

export type TaskName = keyof RenderTasks;
export type TaskRequest<Name extends TaskName> = Parameters<RenderTasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<RenderTasks[Name]>>;

/** What a worker process is started with. */
export interface WorkerSettings {
  /** One that holds more memory than this is ended. */
  memoryBytes: number;
}

/** What is sent to a worker: one at a time. */
export interface Order {
  task: TaskName;
  request: unknown;
  /** How much memory it may hold; undefined: as much as a worker may. */
  roomMegabytes: number | undefined;
}

/** What a worker sends: that it has started; that it has begun a task; what became of it. */
export type WorkerMessage = 'ready' | 'begun' | Reply;

export interface Reply {
  /** The CPU time that it took. */
  cpuMs: number;
  /** What the worker holds afterwards. */
  memoryBytes: number;
  result?: unknown;
  /** Instead of a result: how much room it needs. */
  neededMegabytes?: number;
  /** Instead of a result: what was thrown. */
  error?: { message: string; stack?: string | undefined };
}
