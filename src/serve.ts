import events from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, misspelledVariables } from './config.ts';
import { createApp } from './http/app.ts';
import { ROUTES } from './http/routes/index.ts';
import { createLog } from './log.ts';
import { createServices, type LibraryServices } from './services.ts';
import { explainFolder, makeFolder } from './storage/disk/make-folder.ts';
import { makePrivate } from './storage/disk/private-folders.ts';
import { startTracing } from './tracing.ts';

type App = ReturnType<typeof createApp>;

const IDLE_CHECK_MS = 50;
/** Delay that lets the first requests come first: checking face detection takes a worker half a second. */
const FACES_CHECK_MS = 10_000;

/**
 * Starts the service in this process, which ends on a signal.
 * @returns when it listens;
 * @throws the reason that prevents it
 */
export async function start(config: Config): Promise<void> {
  // Only the owner may read what this process and its encoders write.
  process.umask(0o077);
  const { directory, originals, variants, temp, uploads, staged, retention } = config.data;
  // If this folder can be created, so can all the others.
  await makeFolder(temp).catch((error) => explainFolder(error, `DATA_DIR: ${directory}`));
  await makePrivate([originals, variants, temp, uploads, staged, retention, config.fonts.links]);
  const log = createLog(config.log);
  const endTracing = await startTracing(config.tracing.module);
  for (const line of misspelledVariables()) log.warn(line);
  const services = await createServices(config, log);
  const leaving = new AbortController();
  const app = createApp(services, ROUTES, leaving.signal);

  const stop = once(async (signal: string) => {
    leaving.abort();
    await serveOn(signal, services);
    log.info(`${signal}: finishing the requests in flight`);
    // One deadline for the requests in flight and for the work in the background.
    const deadline = AbortSignal.timeout(config.http.shutdownTimeoutMs);
    await drain(app, config.http.shutdownTimeoutMs);
    await services.close(deadline);
    await endTracing();
    log.info('stopped');
    log.flush(() => process.exit(0));
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  await services.sync.completeMoves();
  await app.ready();
  await listen(app, services);
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : config.http.port;
  const url = config.http.publicUrl ?? `http://localhost:${port}`;
  await services.database.whenAvailable(() => printSecrets(services, url));
  await startBackground(services);
  // After the service listens: starting processes takes CPU time from everything before that.
  services.pool.start();
  setTimeout(() => void warnWithoutFaces(services), FACES_CHECK_MS).unref();
  log.info(`Darkroom is ready at ${url} and listens on ${config.http.host}:${port}`);
}

/** Starts the periodic work of the service. */
async function startBackground({
  sync,
  worker,
  purges,
  webhooks,
  sweep,
  audit,
  usage,
  resumable,
  describing,
}: LibraryServices): Promise<void> {
  await sync.start();
  worker?.start();
  purges?.start();
  await webhooks.start();
  sweep.start();
  audit.start();
  usage.start();
  resumable.start();
  describing?.start();
}

async function listen(app: App, { config: { http }, close }: LibraryServices): Promise<void> {
  try {
    // Node's own 511 waiting connections are exceeded by one client's burst. The system drops what does not fit.
    app.server.listen({ port: http.port, host: http.host, backlog: http.maxConnections });
    await events.once(app.server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Prints the secrets that are shown only once, when nothing can prevent the start any more. In plain text: they are for
 * the operator who watches the start, not for the structured log.
 */
async function printSecrets({ config, keyring, setup }: LibraryServices, url: string): Promise<void> {
  const first = await keyring.ensureFirstKey();
  if (first) process.stdout.write(`API Key: ${first.key}\n`);
  const setupToken = config.mode === 'full' ? await setup.open() : undefined;
  if (!setupToken) return;
  // Fragments are never sent, so no log on the network path contains it.
  process.stdout.write(`Setup token: ${setupToken}\nFirst visit: ${url}/dashboard/setup#token=${setupToken}\n`);
}

/**
 * Continues to serve for as long as a balancer needs to send its requests elsewhere. Jobs, which take longer, return to
 * the queue immediately.
 */
async function serveOn(signal: string, { config, worker, log }: LibraryServices): Promise<void> {
  const { drainDelayMs } = config.http;
  if (drainDelayMs === 0) return;
  log.info(`${signal}: serving on for ${drainDelayMs} ms until balancers send no more requests`);
  await Promise.all([pause(drainDelayMs), worker?.stop()]);
}

/** Accepts no new connection and waits for the requests in flight. At the deadline it cuts them. */
async function drain(app: App, timeoutMs: number): Promise<void> {
  const closed = events.once(app.server, 'close');
  app.server.close();
  // An idle connection would otherwise stay open for its next request.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  await app.close();
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

/**
 * Logs once, soon after the start, that there is no face detection. A crop by faces then falls back to the region of
 * interest.
 */
async function warnWithoutFaces({ pool, log }: LibraryServices): Promise<void> {
  const detection = await pool.runUncharged('faceDetection', undefined).catch(() => undefined);
  if (detection?.available === false) log.warn(detection.reason);
}

function once(act: (signal: string) => Promise<void>): (signal: string) => void {
  let hasActed = false;
  return (signal) => {
    if (hasActed) return;
    hasActed = true;
    act(signal).catch((error) => {
      process.stderr.write(`${error}\n`);
      process.exit(1);
    });
  };
}
