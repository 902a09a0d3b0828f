import events from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { type Config, ConfigError, readConfig } from './config.ts';
import { wrongPresets } from './delivery/check-presets.ts';
import { createApp } from './http/app.ts';
import { createLog } from './log.ts';
import { createServices, type Services } from './services.ts';

const IDLE_CHECK_MS = 50;

// How much the heap may grow, in percent, before it is collected whole. By itself V8 begins again every hundred pictures, and finds
// the same 40 MB alive.
setFlagsFromString('--heap-growing-percent=50');

/** Reads the configuration or ends the process with one line for each wrong variable. */
function configure(): Config {
  try {
    const config = readConfig();
    const wrong = wrongPresets(config.limits);
    if (wrong.length > 0) throw new ConfigError(wrong);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) process.stderr.write(`${line}\n`);
    process.exit(1);
  }
}

async function start(config: Config): Promise<void> {
  const log = createLog(config.log);
  const services = await createServices(config, log);
  const first = await services.keyring.ensureFirstKey({ fromEnvironment: config.auth.firstKey });
  // Plain text: the key is for whoever watches the start, and no part of the structured log.
  if (first) process.stdout.write(`API Key: ${first.key}\n`);
  const setupToken = config.mode === 'full' ? await services.setup.open() : undefined;
  if (setupToken) process.stdout.write(`Setup token: ${setupToken}\n`);
  const app = createApp(services);

  const stop = once(async (signal: string) => {
    log.info(`${signal}: finishing the requests in flight`);
    await drain(app, config.http.shutdownTimeoutMs);
    await services.close();
    log.info('stopped');
    process.exit(0);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  await app.ready();
  app.server.listen(config.http.port, config.http.host);
  await events.once(app.server, 'listening');
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : config.http.port;
  services.worker?.start();
  void warnWithoutFaces(services);
  log.info(
    `Darkroom is ready at ${config.http.publicUrl ?? `http://localhost:${port}`} and listens on ${config.http.host}:${port}`,
  );
}

/** Accepts no new connection and waits for the requests in flight; at the deadline they are cut. */
async function drain(app: ReturnType<typeof createApp>, timeoutMs: number): Promise<void> {
  const closed = events.once(app.server, 'close');
  app.server.close();
  // A connection whose last request has been answered would be kept for the next one.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  await app.close();
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}

/** Said once, at the start; a crop by faces then falls back to the region of interest. */
async function warnWithoutFaces({ pool, log }: Services): Promise<void> {
  const detection = await pool.run('faceDetection', undefined).catch(() => undefined);
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

const config = configure();
if (process.argv.includes('--check-config')) process.stdout.write('The configuration is valid.\n');
else {
  start(config).catch((error) => {
    process.stderr.write(`Darkroom cannot start: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  });
}
