// Runs the service and the dashboard for development. Both reload when a file changes. Ends when either of them ends.
import { spawn } from 'node:child_process';
import { acceptedOptions, V8_OPTIONS } from './v8-options.mjs';

/** Grace period before a process that does not stop is killed, in ms. */
const STOP_TIMEOUT_MS = 10_000;

/** Address of Vite, which forwards everything except the dashboard to the service. */
const PUBLIC_URL = 'http://localhost:5173';

const env = { PUBLIC_URL, ...process.env };
const options = [...acceptedOptions(V8_OPTIONS), '--watch', '--watch-preserve-output'];
const service = start('node', [...options, 'src/main.ts']);
const dashboard = start('vite', ['web', '--clearScreen', 'false']);
const children = [service, dashboard];

/** @param {string} program @param {string[]} args */
function start(program, args) {
  const child = spawn(program, args, { stdio: 'inherit', env });
  child.on('error', (error) => {
    process.stderr.write(`Cannot run ${program}: ${error.message}\n`);
    stop(1);
  });
  child.on('exit', (code) => stop(code ?? 0));
  return child;
}

/** @param {number} code exit code of this process */
function stop(code) {
  if (process.exitCode === undefined) {
    process.exitCode = code;
    setTimeout(() => signal('SIGKILL'), STOP_TIMEOUT_MS).unref();
  }
  signal('SIGTERM');
}

/** @param {NodeJS.Signals} name */
function signal(name) {
  for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill(name);
}

process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(0));
