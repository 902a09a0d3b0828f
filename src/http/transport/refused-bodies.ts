import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So much of a refused body is read as fast as it comes, and then no more in each interval: what nobody wants takes time from the others. */
const FREE_BYTES = 8 * 1024 * 1024;
const INTERVAL_MS = 20;
const BYTES_IN_INTERVAL = 100 * 1024;

/**
 * A request may be answered before its body has arrived, for example with 401. A connection can only be kept for the next request
 * when this body has been read to its end, and a client can delay that for ever. So such an answer is the last of its connection.
 *
 * The rest of the body is read and dropped, for `lingerMs` at most: closing at once would reset the connection, and a client
 * that is still sending might never see the answer.
 */
export function closeAfterRefusal(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  const { socket } = request;
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    if (!request.complete) {
      response.shouldKeepAlive = false;
      socket.destroySoon = () => linger(request, lingerMs);
    }
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

/** Whether a request has a body, which may still be arriving. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function linger(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  const close = () => socket.destroy();
  const timer = setTimeout(close, lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  if (request.complete) {
    close();
    return;
  }
  readSlowly(socket);
  request.once('end', close).resume();
}

/** Node drops what comes of a body whose request was answered; here it only comes as fast as it may. */
function readSlowly(socket: Socket): void {
  let allowed = socket.bytesRead + FREE_BYTES;
  const timer = setInterval(() => {
    allowed += BYTES_IN_INTERVAL;
    if (socket.bytesRead > allowed) socket.pause();
    else socket.resume();
  }, INTERVAL_MS);
  socket.once('close', () => clearInterval(timer));
}
