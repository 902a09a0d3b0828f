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
 * Where the time of a request or a job goes: `deliver` is a request for a file, `wait` its place in the queue of renders, `render`
 * the work of a worker process, `store` a request to a bucket, `job` an attempt at a job and `encode` a run of ffmpeg.
 */
export type SpanName = 'deliver' | 'wait' | 'render' | 'store' | 'job' | 'encode';

/** Cuts off the end of spans that are still to be sent. In milliseconds. */
const SHUTDOWN_MS = 5000;

/** Undefined without an SDK in this process: then nothing is measured. */
let tracer = findTracer();

/** The API's own tracer stands for an SDK that may come later, and does nothing until then. */
function findTracer(): Tracer | undefined {
  const found = trace.getTracer(packageFile.name, packageFile.version);
  return found instanceof ProxyTracer ? undefined : found;
}

/** Does work in a span, which ends with it; a failure of the service marks it. */
export function traced<T>(name: SpanName, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return tracer ? tracer.startActiveSpan(name, { attributes }, (span) => finish(span, work)) : work();
}

/**
 * The same for work that a client has asked for. Its span belongs to the client's own (`traceparent`), if the headers name one and
 * nobody else in this process has read them yet.
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

/** Adds a span that ends now. @param startedAt as `performance.now()` gives it */
export function tracePast(name: SpanName, startedAt: number): void {
  tracer?.startSpan(name, { startTime: startedAt }).end();
}

/** Adds to what the span of the present work says. */
export function describeSpan(attributes: Attributes): void {
  if (tracer) trace.getActiveSpan()?.setAttributes(attributes);
}

async function finish<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What a client has done wrong is an answer like any other.
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
 * @returns sends what is still to be sent, by the module's own `shutdown` if it exports one
 * @throws what the module throws
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
