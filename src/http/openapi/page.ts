import { type Html, html, type Page } from '../transport/html.ts';
import { type Content, curlOf, type Exemplified, fieldsOf, type Operation, openablePath } from './examples.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { notesOf, renderSchema } from './schema-text.ts';
import type { Json } from './schemas.ts';

interface Described extends Operation {
  operationId: string;
  summary: string;
  tags: string[];
  description?: string;
  responses: Record<string, { description: string; content?: Content }>;
}

interface Documented {
  info: { title: string; version: string; summary: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Json> };
}

const PROBLEM = '#/components/schemas/Problem';

/** Renders the document as one HTML page without external resources. */
export function referencePage(document: Json): Page {
  const { info, tags, components } = document as unknown as Documented;
  const entries = entriesOf(document);
  const sections = tags.map(({ name, description }) => {
    const own = entries.filter(({ operation }) => operation.tags.includes(name));
    return html`<section id="${anchor(name)}"><h2>${name}</h2><p>${description}</p>${own.map((entry) => renderOperation(entry, components.schemas))}</section>`;
  });
  const schemas = Object.entries(components.schemas).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const named = schemas.map(([name, schema]) => html`<h3 id="${name}">${name}</h3><pre>${renderSchema(schema)}</pre>`);
  const index = [...tags.map(({ name }) => name), 'Schemas'].map(
    (name) => html`<a href="#${anchor(name)}">${name}</a>`,
  );
  return {
    title: `${info.title} API`,
    style: STYLE,
    hasForms: true,
    body: html`<h1>${info.title} API <small>${info.version}</small></h1>
<p>${info.summary} This reference as a document for programs: <a href="openapi.json">openapi.json</a>. <a href="docs/guide">Documentation</a></p>
<nav>${index}</nav>
<details class="about"><summary>Paths, credentials and errors</summary>${renderMarkdown(withoutSummary(info), { depth: 1 }).body}</details>
${sections}
<section id="schemas"><h2>Schemas</h2><p>What several operations answer with.</p>${named}</section>`,
  };
}

/** Lists the operations of the document. */
export function entriesOf(document: Json): Entry[] {
  const { paths } = document as unknown as Documented;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

interface Entry extends Exemplified {
  operation: Described;
}

function renderOperation(entry: Entry, schemas: Record<string, Json>): Html {
  const { path, method, operation } = entry;
  const { operationId, summary, description = 'Needs no key.', parameters, requestBody } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      html`<h3 class="part">Body <code>${type}</code>${requestBody?.required ? '' : ', optional'}</h3><pre>${renderSchema(schema)}</pre>`,
  );
  return html`<details><summary><b class="${method}">${method.toUpperCase()}</b><code>${breakable(path)}</code><span>${summary}</span></summary>
<div id="${operationId}"><p>${renderInline(description)} As <code>${operationId}</code> in clients.</p>${renderParameters(parameters)}${bodies}${renderExample(entry, schemas)}${renderAnswers(operation)}</div></details>`;
}

/** A request for a shell, and for a GET that a browser can open with the session of its person, a link or a form. */
function renderExample(entry: Entry, schemas: Record<string, Json>): Html {
  return html`<h3 class="part">Example</h3><pre>${curlOf(entry, schemas)}</pre>${renderTry(entry)}`;
}

function renderTry(entry: Entry): Html | '' {
  const open = openablePath(entry);
  // The page is two folders deep, also behind a proxy with a prefix.
  if (open !== undefined)
    return html`<p><a href="..${open}" target="_blank" rel="noreferrer" aria-label="Try it: GET ${open}">Try it</a></p>`;
  const fields = fieldsOf(entry);
  if (!fields) return '';
  const inputs = fields.map(
    ({ name, example }) =>
      html`<label><code>${name}</code><input name="${name}" required autocomplete="off" spellcheck="false" placeholder="${String(example ?? '')}"></label>`,
  );
  // Without a script, a form cannot fill in a path: the service does, and redirects.
  return html`<form action="docs/try" target="_blank" rel="noreferrer"><input type="hidden" name="operation" value="${entry.operation.operationId}">${inputs}<button aria-label="Try it: GET ${entry.path}">Try it</button></form>`;
}

function renderParameters(parameters: Described['parameters']): Html | '' {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => {
    const notes = [description, notesOf(schema)].filter((text) => text !== '').join(' ');
    return html`<dt><code>${name}</code> <span>${place}${required ? '' : ', optional'}</span><dd><code>${renderSchema(schema)}</code> ${renderInline(notes)}`;
  });
  return html`<h3 class="part">Parameters</h3><dl>${rows}</dl>`;
}

function renderAnswers({ responses }: Described): Html {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const shown = Object.entries(content).filter(([, { schema }]) => schema.$ref !== PROBLEM);
    const contents = shown.map(([type, { schema }]) => renderContent(type, schema));
    return html`<dt><code class="${Number(status) < 400 ? 'good' : 'bad'}">${status}</code><dd>${description}${contents}`;
  });
  return html`<h3 class="part">Answers</h3><dl class="answers">${rows}</dl>`;
}

function renderContent(type: string, schema: Json): Html {
  if (type !== 'application/json') return html` <code>${type}</code>`;
  if (schema.$ref) return html` <code>${renderSchema(schema)}</code>`;
  return html`<pre>${renderSchema(schema)}</pre>`;
}

function withoutSummary({ summary, description }: Documented['info']): string {
  return description.startsWith(summary) ? description.slice(summary.length) : description;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

/** Lets a browser break a long path after its slashes. */
function breakable(path: string): Html[] {
  return path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`);
}

const STYLE = `
html { scroll-padding-top: 4.5rem; }
nav { display: flex; gap: 0.4rem; margin: 1.5rem -0.25rem; padding: 0.6rem 0.25rem; position: sticky; top: 0; z-index: 1; background: var(--paper); overflow-x: auto; white-space: nowrap; }
nav a { padding: 0.2rem 0.7rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); color: inherit; font-size: 0.9rem; text-decoration: none; }
nav a:hover { border-color: var(--accent); color: var(--accent); }
section > p { margin-top: 0; color: var(--quiet); }
h3 { margin: 1.5rem 0 0.25rem; font-size: 1rem; }
h3.part { margin: 1.1rem 0 0.25rem; font-size: 0.9rem; }
.part code { font-weight: 400; }
details { border-top: 1px solid var(--line); }
details:last-of-type { border-bottom: 1px solid var(--line); }
details[open] { padding-bottom: 1.25rem; }
details > div { scroll-margin-top: 3rem; }
summary { display: grid; grid-template-columns: 4.6rem minmax(10rem, 25rem) 1fr auto; gap: 0.1rem 0.75rem; align-items: baseline; padding: 0.6rem 0.25rem; cursor: pointer; }
summary:hover { background: var(--card); }
summary::after { content: '+'; color: var(--quiet); font-family: ui-monospace, monospace; }
[open] > summary::after { content: '\\2212'; }
summary span { color: var(--quiet); }
.about > summary { grid-template-columns: 1fr auto; font-weight: 600; }
summary b { font: 600 0.75rem/1.7 ui-monospace, monospace; text-align: center; border-radius: 0.3rem; color: var(--method); background: color-mix(in srgb, var(--method) 13%, transparent); }
.get { --method: light-dark(#1a5f8a, #7cc4f0); }
.post { --method: light-dark(#25693a, #7ddb97); }
.patch { --method: light-dark(#805400, #eebb55); }
.delete { --method: light-dark(#a5281b, #ff8a78); }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0.45rem 1.25rem; margin: 0.5rem 0; }
.answers { grid-template-columns: 2.5rem 1fr; }
.answers pre { font-size: 0.82rem; }
dt span { display: block; color: var(--quiet); font-size: 0.85rem; }
dd { margin: 0; min-width: 0; }
dd > code:first-child { margin-right: 0.4em; color: var(--quiet); }
.good { color: light-dark(#25693a, #7ddb97); }
.bad { color: var(--quiet); }
form { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: end; margin: 0.75rem 0; }
label { display: grid; gap: 0.15rem; color: var(--quiet); }
input, button { min-height: 2.25rem; padding: 0.25rem 0.7rem; border: 1px solid var(--quiet); border-radius: 0.4rem; background: var(--card); color: var(--ink); font: inherit; font-size: 0.9rem; }
input { width: 17rem; max-width: 100%; }
input::placeholder { color: var(--quiet); opacity: 1; }
button { border-color: var(--accent); color: var(--accent); cursor: pointer; }
pre i { color: var(--quiet); font-family: system-ui, sans-serif; font-style: normal; }
@media (max-width: 44rem) {
  html { scroll-padding-top: 1rem; }
  nav { position: static; flex-wrap: wrap; }
  summary { grid-template-columns: 4.6rem 1fr auto; }
  summary span { grid-column: 2; grid-row: 2; }
  dl:not(.answers) { grid-template-columns: 1fr; gap: 0.1rem; }
  .answers pre { margin-left: -3.75rem; }
  dd { margin-bottom: 0.7rem; }
  dt span { display: inline; }
}
`;
