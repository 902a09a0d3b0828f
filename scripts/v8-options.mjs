import { spawnSync } from 'node:child_process';

/** V8 options of the service. They make it faster and smaller; it also runs without them. */
export const V8_OPTIONS = [
  // Buffers from the network stay outside the heap until the young generation is collected: a smaller one accumulates
  // fewer.
  '--max-semi-space-size=8',
  // Growth of the heap, in percent, before a full collection. V8's default is so small that it collects every hundred
  // images, and finds the same 40 MB alive.
  '--heap-growing-percent=50',
];

/**
 * Returns the options that a Node accepts. V8's options are no part of Node's interface: a later Node may not know one,
 * and would not start.
 * @param {readonly string[]} options
 * @param {string} [node] the Node to test
 * @param {NodeJS.ProcessEnv} [env] its environment
 * @returns {string[]}
 */
export function acceptedOptions(options, node = 'node', env = process.env) {
  const accepts = (...some) => spawnSync(node, [...some, '--version'], { env, stdio: 'ignore' }).status === 0;
  return accepts(...options) ? [...options] : options.filter((option) => accepts(option));
}
