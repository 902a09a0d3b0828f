import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { suppressStackTraces } from '../../errors.ts';
import type { OwnConnections } from './connections.ts';

/** Maximum of waiting requests on a connection, regardless of others: an honest client does not send more ahead. */
const ALWAYS_WAITING = 16;

/** The last response on each connection that was not complete immediately. */
const answers = new WeakMap<Socket, ServerResponse>();

/** True while the response to the last request of a connection is not complete. */
export function isAnswering(socket: Socket): boolean {
  return answers.get(socket)?.writableEnded === false;
}

/** True while a response is being sent on a connection. */
export function isBeingAnswered(socket: Socket): boolean {
  const answer = answers.get(socket);
  return answer?.headersSent === true && !answer.writableEnded;
}

/**
 * Answers the requests of a connection one after another, however many its client sends ahead: the next one begins when
 * the client has taken the response before it. Otherwise a client that sends and never reads would cause a response,
 * and an open file, for each request. It begins in a later turn of the event loop: requests that were sent ahead get no
 * more of it than those of other connections.
 *
 * Meanwhile the connection is not read. Requests that had been read by then, up to 64 KB, wait. Reading them takes
 * 10 ms, so no other connection of the client is read in that turn. Their waiting takes memory: when more than
 * `maxWaiting` wait on all connections together, a connection with more than a few of them is closed.
 * @param connectionsOf the connections of the client of a connection
 */
export function answerInOrder(
  listener: RequestListener,
  maxWaiting: number,
  connectionsOf: OwnConnections,
): RequestListener {
  const answer = remembered(listener);
  /** Number of waiting requests on a connection; only for connections on which some have waited. */
  const queues = new WeakMap<Socket, { waiting: number }>();
  let total = 0;

  function wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // The rest of the data in which a connection exceeded the limit.
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? openQueue(socket);
    queue.waiting++;
    total++;
    socket.pause();
    if (queue.waiting === ALWAYS_WAITING + 1) holdOthers(socket);
    if (queue.waiting > ALWAYS_WAITING && total > maxWaiting) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      queue.waiting--;
      total--;
      setImmediate(() => {
        if (queue.waiting === 0) socket.resume();
        if (!socket.destroyed) answer(request, response);
      });
    });
  }

  function openQueue(socket: Socket): { waiting: number } {
    const queue = { waiting: 0 };
    queues.set(socket, queue);
    // Node resumes the socket when a response was sent or a body is read. No body is incomplete once a later request
    // came.
    socket.on('resume', () => {
      if (queue.waiting > 0) socket.pause();
    });
    // Node creates an error for each waiting request, before the listener below runs. Their stacks would be most of the
    // work.
    let restoreStackTraces: (() => void) | undefined;
    socket.prependOnceListener('close', () => {
      restoreStackTraces = suppressStackTraces();
    });
    socket.once('close', () => {
      restoreStackTraces?.();
      total -= queue.waiting;
      queue.waiting = 0;
    });
    return queue;
  }

  /** Pauses the other connections of a client that are between requests, until the next turn of the event loop. */
  function holdOthers(socket: Socket): void {
    // `resume` would read on where a body waits for its reader.
    const isHeld = (other: Socket) => other !== socket && !other.isPaused() && !isAnswering(other);
    const others = [...connectionsOf(socket)].filter(isHeld);
    for (const other of others) other.pause();
    setImmediate(() => {
      for (const other of others) other.resume();
    });
  }

  // Node assigns the socket to a response when it is next on its connection.
  return (request, response) => (response.socket === null ? wait(request, response) : answer(request, response));
}

function remembered(listener: RequestListener): RequestListener {
  return (request, response) => {
    listener(request, response);
    // A response from memory is complete by now.
    if (!response.writableEnded) answers.set(request.socket, response);
  };
}
