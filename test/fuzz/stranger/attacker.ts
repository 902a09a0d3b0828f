/**
 * A process that attacks a service from one address: `attacker.ts PORT SECONDS LEAKED`. It reports each wave to its
 * parent, and the responses at the end.
 */
import { background, storm, waves } from './attacks.ts';
import type { Target } from './wire.ts';

/** A message of the attacker to its parent. */
export type Told = { wave: string } | { answers: [status: number, count: number][]; accepted: string[] };

/** The most severe attack comes last and lasts this many times as long. */
const STORM_SHARES = 3;

const [port = 0, seconds = 0] = process.argv.slice(2, 4).map(Number);
// Thousands of connections wait for one signal, as intended.
process.setMaxListeners(0);

const tell = (told: Told) => process.send?.(told);
const answers: Target['answers'] = new Map();
const accepted: string[] = [];
const leaked: Target['leaked'] = JSON.parse(process.argv[4] ?? '[]');
const known = { port, answers, leaked, accepted };
const whole = new AbortController();
const quiet = (error: unknown) => void process.stderr.write(`attack: ${error}\n`);

const all = { ...waves, 'all attacks together': storm };
const share = (seconds * 1000) / (Object.keys(all).length + STORM_SHARES - 1);
const always = background.map((attack) => attack({ ...known, signal: whole.signal }).catch(quiet));
for (const [name, attack] of Object.entries(all)) {
  tell({ wave: name });
  const wave = new AbortController();
  const end = new Promise((resolve) => setTimeout(resolve, attack === storm ? STORM_SHARES * share : share));
  const under = attack({ ...known, signal: wave.signal }).catch(quiet);
  await end;
  wave.abort();
  await under;
}
whole.abort();
await Promise.all(always);
tell({ answers: [...answers].toSorted(([a], [b]) => a - b), accepted });
process.disconnect();
