/**
 * What the encoders' settings cost, and which WebP and AVIF qualities look like which JPEG quality.
 * Run: npm install --no-save calc-s2-rust@1.0.3 && npm run bench quality [settings [<format>] | equivalents [photo | graphic]]
 */
import sharp from 'sharp';
import { findEquivalents } from './quality/equivalents.ts';
import { compareSettings } from './quality/settings.ts';
import { loadSsimulacra2 } from './quality/ssimulacra2.ts';

sharp.concurrency(1);
const metric = await loadSsimulacra2();
const [part, only] = process.argv.slice(2);
const write = (line: string) => void process.stdout.write(`${line}\n`);

if (part !== 'equivalents') await compareSettings(metric, write, only);
for (const kind of ['photo', 'graphic'] as const) {
  const isAsked = part !== 'settings' && (!only || only === kind);
  if (isAsked) await findEquivalents(metric, write, kind);
}
