import { z } from 'zod';
import type { Answer } from './http.ts';

type Schema = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: Schema;
}

export interface DocumentedOperation {
  method: string;
  path: string;
  operationId: string;
  security: Record<string, unknown>[];
  'x-permission'?: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** An OpenAPI document as a contract: lists its operations and validates responses. */
export class Contract {
  readonly operations: readonly DocumentedOperation[];
  readonly #schemas: Record<string, Schema>;
  readonly #compiled = new Map<Schema, z.ZodType>();

  constructor(document: Record<string, unknown>) {
    const { paths, components } = document as {
      paths: Record<string, Record<string, DocumentedOperation>>;
      components: { schemas: Record<string, Schema> };
    };
    this.#schemas = components.schemas;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    );
  }

  /** Describes the first mismatch between a response and its declared operation; undefined if it conforms. */
  objection({ responses }: DocumentedOperation, { status, headers, body }: Answer): string | undefined {
    const declared = responses[status];
    if (!declared) return `status ${status} is not declared: ${body.toString().slice(0, 200)}`;
    const type = headers['content-type']?.split(';')[0] ?? '';
    if (!declared.content) return body.length > 0 ? `status ${status} has a body` : undefined;
    const content = declared.content[type];
    if (!content) return declared.content['*/*'] ? undefined : `status ${status} has the type "${type}"`;
    if (!content.schema || type !== 'application/json') return undefined;
    const result = this.#compile(content.schema).safeParse(JSON.parse(body.toString()));
    return result.success ? undefined : `status ${status}: ${result.error.message}: ${body.toString().slice(0, 200)}`;
  }

  #compile(schema: Schema): z.ZodType {
    let compiled = this.#compiled.get(schema);
    if (!compiled) {
      compiled = z.fromJSONSchema(this.#resolve({ ...schema, $defs: this.#schemas }) as never);
      this.#compiled.set(schema, compiled);
    }
    return compiled;
  }

  /** zod resolves definitions in one location only. */
  #resolve(schema: Schema): Schema {
    return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));
  }
}
