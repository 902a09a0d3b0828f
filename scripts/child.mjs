import { spawn } from 'node:child_process';

/**
 * Runs a program instead of this process: with its input and outputs, and with the signals that end it.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} its exit code; 1 after a signal
 * @throws Error when it cannot be started
 */
export function runChild(program, args, options = {}) {
  const child = spawn(program, args, { ...options, stdio: 'inherit' });
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => child.kill(signal);
  process.on('SIGTERM', pass);
  process.on('SIGINT', pass);
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`Cannot run ${program}: ${error.message}`)));
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', pass);
      process.off('SIGINT', pass);
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}
