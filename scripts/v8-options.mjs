import { spawnSync } from 'node:child_process';

/** The options of V8 that the service is started with. They make it faster and smaller; it also runs without them. */
export const V8_OPTIONS = [
  // Buffers from the network lie outside the heap until the young generation is collected: a smaller one lets fewer pile up.
  '--max-semi-space-size=8',
  // How much the heap may grow, in percent, before all of it is collected. V8's own choice is so small that it collects every
  // hundred pictures, and finds the same 40 MB alive.
  '--heap-growing-percent=50',
];

/**
 * The options that a Node takes. V8's options are no part of Node's interface: a later Node may not know one, and would not start.
 * @param {readonly string[]} options
 * @param {string} [node] the Node to ask
 * @param {NodeJS.ProcessEnv} [env] its environment
 * @returns {string[]}
 */
export function acceptedOptions(options, node = 'node', env = process.env) {
  const accepts = (...some) => spawnSync(node, [...some, '--version'], { env, stdio: 'ignore' }).status === 0;
  return accepts(...options) ? [...options] : options.filter((option) => accepts(option));
}
