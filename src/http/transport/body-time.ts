import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from '../../errors.ts';
import { sendProblem } from '../problem.ts';

/** Methods whose bodies are never read. */
const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD'];

/**
 * Limits the time for a small body, which the framework reads: otherwise the response is 408 and the connection is
 * closed. Multipart bodies have their own reader, with its own limit for pauses.
 */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  app.addHook('preParsing', async (request, reply) => {
    if (WITHOUT_BODY.includes(request.method)) return;
    timers.set(request, setTimeout(refuse, timeoutMs, request, reply, timeoutMs));
  });
  const stop = async (request: FastifyRequest) => clearTimeout(timers.get(request));
  app.addHook('preValidation', stop);
  app.addHook('onError', stop);
  app.addHook('onRequestAbort', stop);
}

function refuse(request: FastifyRequest, reply: FastifyReply, timeoutMs: number): void {
  if (reply.sent || reply.raw.headersSent) return;
  reply.hijack();
  const message = `The body did not arrive within ${timeoutMs} ms (BODY_TIMEOUT_MS).`;
  const problem = new HttpProblem('request_timeout', message);
  sendProblem(reply.raw, problem, request.log);
}
