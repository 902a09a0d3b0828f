import { pathToFileURL } from 'node:url';
import {
  type Attributes,
  context,
  ProxyTracer,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import packageFile from '../package.json' with { type: 'json' };
import { HttpProblem } from './errors.ts';

/**
 * Span of a request or a job: `deliver` is a request for a file, `wait` its time in the render queue, `render` the work
 * of a worker process, `store` a request to a bucket, `job` an attempt at a job and `encode` a run of ffmpeg.
 */
export type SpanName = 'deliver' | 'wait' | 'render' | 'store' | 'job' | 'encode';

/** Timeout for sending the last spans, in ms. */
const SHUTDOWN_MS = 5000;

/** Undefined without an SDK in this process; then nothing is measured. */
let tracer = findTracer();

/** Finds the tracer of an SDK. The API's own proxy does nothing until an SDK is registered. */
function findTracer(): Tracer | undefined {
  const found = trace.getTracer(packageFile.name, packageFile.version);
  return found instanceof ProxyTracer ? undefined : found;
}

/** Runs work in a span. Faults of the service set its status to an error. */
export function traced<T>(name: SpanName, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer ? tracer.startActiveSpan(name, { attributes }, (span) => finish(span, work)) : work();
}

/**
 * Runs the work of a request in a span. Its parent is the client's span (`traceparent` header), unless another one is
 * active.
 */
export function tracedRequest<T>(
  name: SpanName,
  headers: object,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  const active = context.active();
  const parent = trace.getSpan(active) ? active : propagation.extract(active, headers);
  return tracer.startActiveSpan(name, { kind: SpanKind.SERVER, attributes }, parent, (span) => finish(span, work));
}

/** Adds a span that ends now. @param startedAt in ms of `performance.now()` */
export function tracePast(name: SpanName, startedAt: number): void {
  tracer?.startSpan(name, { startTime: startedAt }).end();
}

/** Adds attributes to the active span. */
export function describeSpan(attributes: Attributes): void {
  if (tracer) trace.getActiveSpan()?.setAttributes(attributes);
}

async function finish<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Errors of clients are normal responses.
    if (!(error instanceof HttpProblem) || error.status >= 500) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    }
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Runs the operator's module, which sets up an SDK.
 * @param file absolute; undefined for no tracing
 * @returns sends pending spans with the module's `shutdown`, if it exports one
 * @throws errors of the module
 */
export async function startTracing(file: string | undefined): Promise<() => Promise<void>> {
  if (file === undefined) return async () => undefined;
  const module: { shutdown?: unknown } = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`TRACING_MODULE: expected a module that can be loaded, received ${file}: ${reason}`, { cause });
  });
  tracer = findTracer();
  const { shutdown } = module;
  if (typeof shutdown !== 'function') return async () => undefined;
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, SHUTDOWN_MS);
    await Promise.race([promise, Promise.resolve(shutdown()).catch(() => undefined)]);
    clearTimeout(timer);
  };
}
