import type { createDocument } from './document.ts';

type Json = Record<string, unknown>;

interface Described {
  summary: string;
  description?: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Json }> }>;
}

/** The document for people: one page of HTML that needs nothing else. */
export function renderPage(document: ReturnType<typeof createDocument>): string {
  const { info, tags, paths } = document as {
    info: { title: string; version: string; description: string };
    tags: { name: string }[];
    paths: Record<string, Record<string, Described>>;
  };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = all.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="${toHtml(name)}">${toHtml(name)}</h2>${own.map(renderOperation).join('')}`;
  });
  const index = tags.map(({ name }) => `<a href="#${toHtml(name)}">${toHtml(name)}</a>`).join(' ');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${toHtml(info.title)} API</title><style>${STYLE}</style></head><body><main>
<h1>${toHtml(info.title)} API <small>${toHtml(info.version)}</small></h1>
<p>${toHtml(info.description)} The same as a document for programs: <a href="openapi.json">openapi.json</a>.</p>
<nav>${index}</nav>${sections.join('\n')}</main></body></html>
`;
}

function renderOperation({ path, method, operation }: { path: string; method: string; operation: Described }): string {
  const { summary, description = 'Needs no key.', parameters, requestBody, responses } = operation;
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${toHtml(parameter.name)}</code><td>${parameter.in}${parameter.required ? '' : ', optional'}` +
      `<td>${toHtml(parameter.description ?? '')} ${schema(parameter.schema)}`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, content]) => `<h4>Body: ${toHtml(type)}</h4>${schema(content.schema)}`,
  );
  const answers = Object.entries(responses).map(([status, answer]) => {
    const contents = Object.entries(answer.content ?? {});
    const shown = contents.map(
      ([type, content]) => `<code>${toHtml(type)}</code> ${content.schema ? schema(content.schema) : ''}`,
    );
    return `<tr><td>${status}<td>${toHtml(answer.description)}<td>${shown.join('')}`;
  });
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${toHtml(path)}</code> ${toHtml(summary)}</summary>
<p>${toHtml(description)}</p>${rows.length > 0 ? `<h4>Parameters</h4><table>${rows.join('')}</table>` : ''}${bodies.join('')}
<h4>Answers</h4><table>${answers.join('')}</table></details>`;
}

function schema(value: Json): string {
  return `<pre>${toHtml(JSON.stringify(value, undefined, 1).replaceAll(/\s*\n\s*/g, ' '))}</pre>`;
}

function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0}main{max-width:60rem;margin:auto;padding:1rem}
nav a{margin-right:1rem}details{border-bottom:1px solid #8884;padding:.4rem 0}summary{cursor:pointer}table{border-collapse:collapse;width:100%}
td{border-top:1px solid #8884;padding:.3rem .6rem .3rem 0;vertical-align:top}pre{white-space:pre-wrap;margin:0;font-size:.8rem}small{font-weight:normal}`;
