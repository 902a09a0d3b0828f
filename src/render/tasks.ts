import type { CaptureRequest, CaptureResult } from '../image/analysis/capture-detail.ts';
import type { DescribeRequest, DescribeResult } from '../image/analysis/describe.ts';
import type { FindRequest, FindResult } from '../image/analysis/find.ts';
import type { ConvertRequest, ConvertResult } from '../image/convert.ts';
import type { Deadline } from '../image/deadline.ts';
import type { MemoryCheck } from '../image/memory.ts';
import type { RenderRequest, RenderResult } from '../image/pipeline.ts';

/** A render whose result is returned as well if it has at most so many bytes. Default: never. */
export interface ReturningRequest extends RenderRequest {
  returnedBytes?: number;
}

export type ReturnedResult = RenderResult & { bytes?: Buffer };

/** Tasks of a render worker: plain data in, plain data out. A task over its allowance throws NeedsMemory first. */
export interface RenderTasks {
  render(request: ReturningRequest, checkMemory: MemoryCheck): Promise<ReturnedResult>;
  convertHeic(request: ConvertRequest, checkMemory: MemoryCheck): Promise<ConvertResult>;
  find(request: FindRequest, checkMemory: MemoryCheck): Promise<FindResult>;
  describe(request: DescribeRequest, checkMemory: MemoryCheck): Promise<DescribeResult>;
  readCapture(request: CaptureRequest, checkMemory: MemoryCheck): Promise<CaptureResult>;
  /** Reports whether faces can be found, or why not. */
  faceDetection(request: undefined): Promise<{ available: true } | { available: false; reason: string }>;
}

export type TaskName = keyof RenderTasks;
export type TaskRequest<Name extends TaskName> = Parameters<RenderTasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<RenderTasks[Name]>>;

/** A task ended its worker: it crashed, or ran out of memory or time. Another try is likely to end the same way. */
export class TaskFatal extends Error {
  override name = 'TaskFatal';
}

/** Startup settings of a worker process. */
export interface WorkerSettings {
  /** A worker with more memory is ended. */
  memoryBytes: number;
  /** Of Fontconfig. */
  fontsFile?: string;
}

/** Limits of a task. */
export interface Allowance {
  megabytes: number;
  /** CPU time. */
  cpuMs: number;
}

/** Sent to a worker, one at a time. */
export interface Order {
  task: TaskName;
  request: unknown;
  /** Undefined for no limit but those of the worker. */
  allowance: Allowance | undefined;
}

/** Sent by a worker: it started, began a task, entered or left work that may not end, or completed the task. */
export type WorkerMessage = 'ready' | 'begun' | { deadline: Deadline | null } | Reply;

export interface Reply {
  /** The CPU time of the task. */
  cpuMs: number;
  /** Memory of the worker afterwards. */
  memoryBytes: number;
  result?: unknown;
  /** CPU time that the task estimated for itself. */
  pricedMs: number;
  /** Instead of a result, for a heavy task: the memory that it needs. */
  neededMegabytes?: number;
  /** Instead of a result: the thrown error. */
  error?: { message: string; stack?: string | undefined };
}
