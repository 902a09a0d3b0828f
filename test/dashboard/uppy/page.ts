import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'vite';

const HERE = import.meta.dirname;
const DOCUMENT = join(HERE, '..', '..', '..', 'docs', 'resumable-uploads.md');

/** A page of another site and the script that it loads. */
export interface Site {
  origin: string;
  serve(script: string): void;
  close(): void;
}

/** Starts the site without a script: the service needs to know its origin first. */
export async function startSite(): Promise<Site> {
  let script = '';
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<link rel="icon" href="data:,"><script type="module" src="/page.js"></script>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (given) => {
      script = given;
    },
    close: () => void server.close(),
  };
}

/** Browser examples of the docs as modules with the parameters `darkroom`, `signed` and `file`. */
async function examples(): Promise<string[]> {
  const fences = (await readFile(DOCUMENT, 'utf8')).matchAll(/^```js\n(.*?)^```$/gms);
  return [...fences].map(([, code = '']) => {
    const imports = code.match(/^import .*\n/gm) ?? [];
    const rest = code.replace(/^import .*\n/gm, '').replace('const uppy =', 'window.uppy =');
    return `${imports.join('')}export async function run({ darkroom, signed, file }) {\n${rest}}\n`;
  });
}

/** Bundles the examples with the packages of this folder. `window.withTus` and `window.withUppy` run them. */
export async function bundleExamples(): Promise<string> {
  const [tus = '', uppy = ''] = await examples();
  const modules: Readonly<Record<string, string>> = {
    'page.js': `
      import { run as withTus } from './tus.js';
      import { run as withUppy } from './uppy.js';
      Object.assign(window, { withTus, withUppy });`,
    'tus.js': tus,
    'uppy.js': uppy,
  };
  const nameOf = (id: string) => Object.keys(modules).find((name) => id === join(HERE, name));
  const result = await build({
    root: HERE,
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    build: { write: false, minify: false, modulePreload: false, rolldownOptions: { input: join(HERE, 'page.js') } },
    plugins: [
      {
        name: 'examples',
        enforce: 'pre',
        resolveId: (id) => nameOf(join(HERE, id.replace(HERE, ''))) && join(HERE, id.replace(HERE, '')),
        load: (id) => modules[nameOf(id) ?? ''],
      },
    ],
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('The bundler made nothing.');
  return output.output[0].code;
}
