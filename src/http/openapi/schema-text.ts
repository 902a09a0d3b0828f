import { type Html, html } from '../transport/html.ts';
import type { Json } from './schemas.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

const INDENT = '  ';

/** Renders a schema as a TypeScript-like type. Named schemas are links. */
export function renderSchema(schema: Json, depth = 0): Html {
  const { $ref, anyOf, enum: words, const: only, type, items, format } = schema as Schema;
  if ($ref) return renderReference($ref);
  if (only !== undefined) return html`${JSON.stringify(only)}`;
  if (words) return html`${words.map((word) => JSON.stringify(word)).join(' | ')}`;
  if (anyOf)
    return join(
      anyOf.map((one) => renderSchema(one as Json, depth)),
      ' | ',
    );
  if (Array.isArray(type)) return html`${type.join(' | ')}`;
  if (type === 'array') return html`${renderSchema((items ?? {}) as Json, depth)}[]`;
  if (type === 'object') return renderObject(schema as Schema, depth);
  if (format === 'binary') return html`file`;
  return html`${format ?? type ?? 'anything'}`;
}

/** Description, range and default of a schema. */
export function notesOf({ description, default: standard, minimum, maximum, minLength, maxLength }: Json): string {
  const least = minimum ?? minLength;
  const most = maximum ?? maxLength;
  const unit = minLength !== undefined || maxLength !== undefined ? ' characters' : '';
  const range = [
    ...(least !== undefined && least !== 0 ? [`at least ${least}${unit}`] : []),
    ...(most !== undefined ? [`at most ${most}${unit}`] : []),
  ].join(', ');
  return [
    ...(description ? [String(description)] : []),
    ...(range ? [`${range[0]?.toUpperCase()}${range.slice(1)}.`] : []),
    ...(standard !== undefined && standard !== '' ? [`Default ${JSON.stringify(standard)}.`] : []),
  ].join(' ');
}

function renderObject({ properties = {}, required = [], additionalProperties }: Schema, depth: number): Html {
  const pad = INDENT.repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, inner]) => {
    const notes = notesOf(inner as Json);
    const comment = notes ? html` <i>${notes}</i>` : '';
    return html`\n${pad}${name}${required.includes(name) ? '' : '?'}: ${renderSchema(inner as Json, depth + 1)}${comment}`;
  });
  if (typeof additionalProperties === 'object') {
    lines.push(html`\n${pad}[name]: ${renderSchema(additionalProperties as Json, depth + 1)}`);
  }
  return lines.length === 0 ? html`{}` : html`{${lines}\n${INDENT.repeat(depth)}}`;
}

function renderReference(ref: string): Html {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return html`<a href="#${name}">${name}</a>`;
}

function join(parts: readonly Html[], between: string): Html {
  return html`${parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))}`;
}
