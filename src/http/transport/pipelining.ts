import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So many requests may wait on a connection whatever waits on others: what an honest client sends ahead. */
const ALWAYS_WAITING = 16;

/**
 * Answers the requests of a connection one after another, however many its client sends ahead: the next is looked at when the answer
 * before it has been taken. Without that, a client that sends and never reads has an answer made, and a file opened, for each.
 *
 * Meanwhile the connection is not read. What had been read by then waits, up to 64 KB of requests; that takes memory, so where more
 * than `maxWaiting` wait on all connections together, one with more than a few of them is closed.
 */
export function answerInTurn(answer: RequestListener, maxWaiting: number): RequestListener {
  /** How many wait on a connection; only of those on which some ever did. */
  const queues = new WeakMap<Socket, { waiting: number }>();
  let total = 0;

  function wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // What is left of the piece of data in which a connection went too far.
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? openQueue(socket);
    if (queue.waiting === 0) stopReading(socket);
    queue.waiting++;
    total++;
    if (queue.waiting > ALWAYS_WAITING && total > maxWaiting) {
      socket.destroy();
      return;
    }
    response.once('socket', () => {
      queue.waiting--;
      total--;
      if (queue.waiting === 0) goOnReading(socket);
      answer(request, response);
    });
  }

  function openQueue(socket: Socket): { waiting: number } {
    const queue = { waiting: 0 };
    queues.set(socket, queue);
    const giveStacksAgain = withoutStacks(socket);
    socket.once('close', () => {
      giveStacksAgain();
      total -= queue.waiting;
      queue.waiting = 0;
    });
    return queue;
  }

  // Node gives an answer its connection when it is its turn.
  return (request, response) => (response.socket === null ? wait(request, response) : answer(request, response));
}

/**
 * Node makes an error for each request that still waits when its connection closes, before any listener of ours. Nobody sees those
 * errors, and their stacks would be most of the work. Gives the function that ends this.
 */
function withoutStacks(socket: Socket): () => void {
  let limit = Error.stackTraceLimit;
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  return () => {
    Error.stackTraceLimit = limit;
  };
}

function stopReading(socket: Socket): void {
  socket.pause();
  // Node goes on reading whenever an answer has left, or a body is wanted. There is none to come where a later request has come.
  socket.resume = () => socket;
}

function goOnReading(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}
