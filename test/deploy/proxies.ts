import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ROOT } from '../source-files.ts';

const run = promisify(execFile);

/** Host name in the files of the page. */
const NAME = 'media.example.com';

/** Available addresses of visitors; the proxy has 127.0.0.1. */
export const VISITORS = ['127.0.0.2', '127.0.0.3'] as const;

/** A running proxy, with the file shown on the page. */
export interface RunningProxy {
  port: number;
  /** Returns its log, for a failed test. */
  log(): string;
  close(): Promise<void>;
}

/** A kind of proxy. */
export interface ProxyKind {
  program: string;
  package: string;
  /**
   * Writes its files into a folder.
   * @returns its arguments for running in the foreground
   */
  prepare(place: ProxyPlace): Promise<string[]>;
}

export interface ProxyPlace {
  folder: string;
  /** Port it listens on. */
  port: number;
  /** Address of the service. */
  service: string;
}

/** Returns the first fence of a language on the page. */
async function documented(language: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs', 'behind-a-proxy.md'), 'utf8');
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
  if (text === undefined) throw new Error(`The page shows no ${language}.`);
  return text;
}

/** Replaces a text, which must exist. */
function replaced(text: string, before: string, after: string): string {
  if (!text.includes(before)) throw new Error(`The documented file does not have "${before}" any more.`);
  return text.replaceAll(before, after);
}

async function makeCertificate(folder: string): Promise<{ certificate: string; key: string }> {
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const name = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  await run('openssl', ['req', ...kind, ...name, '-out', certificate, '-keyout', key]);
  return { certificate, key };
}

export const nginx: ProxyKind = {
  program: 'nginx',
  package: 'nginx-light',
  async prepare({ folder, port, service }) {
    const { certificate, key } = await makeCertificate(folder);
    let site = replaced(await documented('nginx'), 'server 127.0.0.1:3000;', `server ${service};`);
    site = replaced(site, 'listen 443 ssl', `listen 127.0.0.1:${port} ssl`);
    site = replaced(site, 'listen 80;', `listen unix:${folder}/plain.sock;`);
    site = replaced(site, `/etc/letsencrypt/live/${NAME}/fullchain.pem`, certificate);
    site = replaced(site, `/etc/letsencrypt/live/${NAME}/privkey.pem`, key);
    await writeFile(join(folder, 'site.conf'), site);
    // Surroundings from Debian's own file, with paths in the folder.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    const http = ['access_log off;', 'sendfile on;', 'gzip on;', ...places, `include ${folder}/site.conf;`].join(' ');
    const main = `${user} daemon off; error_log stderr; pid ${folder}/pid; events {} http { ${http} }`;
    await writeFile(join(folder, 'nginx.conf'), main);
    return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  },
};

export const caddy: ProxyKind = {
  program: 'caddy',
  package: 'caddy',
  async prepare({ folder, port, service }) {
    const { certificate, key } = await makeCertificate(folder);
    let site = replaced(await documented('caddyfile'), '127.0.0.1:3000', service);
    site = replaced(site, `${NAME} {`, `https://${NAME}:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`);
    await writeFile(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
};

/** Starts a proxy; it may take a moment until it responds. */
export async function startProxy(kind: ProxyKind, file: string, service: string, port: number): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), `${kind.program}-`));
  const args = await kind.prepare({ folder, port, service });
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const ended = once(child, 'exit');
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
  });
  return {
    port,
    log: () => log,
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

export interface ProxyAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
  json(): Record<string, unknown>;
}

/** Begins a request over TLS like a visitor's client, with the host name. */
export function requestThrough(port: number, path: string, options: RequestOptions = {}) {
  const headers = { host: NAME, ...(options.headers as Record<string, string>) };
  const where = { host: '127.0.0.1', port, path, servername: NAME, rejectUnauthorized: false, agent: false };
  return https.request({ localAddress: VISITORS[0], ...options, ...where, headers });
}

/** Requests a path from a proxy, and waits for the whole response. */
export async function askThrough(
  port: number,
  path: string,
  { body, ...options }: RequestOptions & { body?: Uint8Array | string } = {},
): Promise<ProxyAnswer> {
  const request = requestThrough(port, path, options);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const bytes = await buffer(response);
  const json = () => JSON.parse(bytes.toString());
  return { status: response.statusCode ?? 0, headers: response.headers, body: bytes, json };
}
