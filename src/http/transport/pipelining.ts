import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests may wait on a connection, whatever waits on others: an honest client does not send more ahead. */
const ALWAYS_WAITING = 16;

/** The last answer on each connection that took more than a moment. */
const answers = new WeakMap<Socket, ServerResponse>();

/** True while the response to the last request of a connection is not complete. */
export function isAnswering(socket: Socket): boolean {
  return answers.get(socket)?.writableEnded === false;
}

/** Whether an answer is being sent on a connection. */
export function isBeingAnswered(socket: Socket): boolean {
  const answer = answers.get(socket);
  return answer?.headersSent === true && !answer.writableEnded;
}

/**
 * Answers the requests of a connection one after another, however many its client sends ahead: the next one begins when the client
 * has taken the answer before it. Otherwise a client that sends and never reads would have an answer made, and a file opened, for
 * each request.
 *
 * Meanwhile the connection is not read. Requests that had been read by then, up to 64 KB, wait. That takes memory: when more
 * than `maxWaiting` wait on all connections together, a connection with more than a few of them is closed.
 */
export function answerInTurn(listener: RequestListener, maxWaiting: number): RequestListener {
  const answer = remembered(listener);
  /** How many wait on a connection; only for connections on which some have waited. */
  const queues = new WeakMap<Socket, { waiting: number }>();
  let total = 0;

  function wait(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // The rest of the data in which a connection exceeded the limit.
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

  // Node gives an answer its socket when its turn has come.
  return (request, response) => (response.socket === null ? wait(request, response) : answer(request, response));
}

function remembered(listener: RequestListener): RequestListener {
  return (request, response) => {
    listener(request, response);
    // An answer from memory is whole by now.
    if (!response.writableEnded) answers.set(request.socket, response);
  };
}

/**
 * Node makes an error for each request that still waits when its connection closes, before our listeners run. Nobody sees these
 * errors, and their stacks would be most of the work. Returns the function that ends this.
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
  // Node resumes reading whenever an answer has left, or a body is wanted. No body is missing when a later request has arrived.
  socket.resume = () => socket;
}

function goOnReading(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}
