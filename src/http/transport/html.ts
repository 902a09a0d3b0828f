import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { readAccept } from '../../transformation/negotiate.ts';

/** Text that is already HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | readonly Value[];

/** Template tag for HTML. Escapes values that are not HTML themselves, and joins lists. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + write(values[index] ?? '')).join(''));
}

function write(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(write).join('');
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** HTML page without scripts or external files, with one style sheet. */
export interface Page {
  title: string;
  /** CSS in addition to the common one. */
  style: string;
  body: Html;
  /** True if it has forms for the service. */
  hasForms?: boolean;
}

/** Common CSS. Each colour has one name for both schemes. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#faf8f5, #151313);
  --card: light-dark(#ffffff, #1e1b1b);
  --ink: light-dark(#211d1c, #ece6e2);
  --quiet: light-dark(#6a615d, #a59b96);
  --line: light-dark(#e5ded8, #383231);
  --accent: light-dark(#ae2012, #ff7a66);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 62rem; margin: auto; padding: 2.5rem 1.25rem 4rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; }
h1 small { margin-left: 0.35em; color: var(--quiet); font-size: 1rem; font-weight: 400; letter-spacing: 0; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; }
p { max-width: 42rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font: 0.875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 0.5rem 0; padding: 0.75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; white-space: pre-wrap; }
`;

/** Sends a page with a content security policy that permits nothing else. */
export function sendPage(reply: FastifyReply, { title, style, body, hasForms = false }: Page): FastifyReply {
  const sheet = new Html(STYLE + style);
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', sheet.text, 'base64')}'`,
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ];
  reply.headers({ 'X-Frame-Options': 'DENY', 'Content-Security-Policy': policy.join('; ') });
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${sheet}</style>`;
  return reply.type('text/html; charset=utf-8').send(
    html`<!doctype html>
<html lang="en"><head>${head}</head><body><main>
${body}
</main></body></html>
`.text,
  );
}

/** True if the client explicitly accepts HTML, as browsers do for pages. Others get JSON. */
export function wantsHtml(accept = ''): boolean {
  return (readAccept(accept).get('text/html') ?? 0) > 0;
}
