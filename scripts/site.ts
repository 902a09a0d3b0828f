import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../site/pages.ts';
import { installPackages } from '../test/packages.ts';

// Builds the documentation as a site, or serves it for editing. Its packages are separate.

const FOLDER = join(ROOT, 'site');
const USAGE =
  'npm run site [-- dev]: builds the documentation into site/.vitepress/dist, or serves it while you write.';

const [command = 'build', ...more] = process.argv.slice(2);
if (!['build', 'dev'].includes(command)) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}
await installPackages(FOLDER);
const program = join(FOLDER, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
const child = spawn(process.execPath, [program, command, FOLDER, ...more], { stdio: 'inherit' });
const [code] = (await once(child, 'exit')) as [number | null];
process.exit(code ?? 1);
