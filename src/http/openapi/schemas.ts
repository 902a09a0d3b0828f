import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Writes zod's schemas as JSON Schema. Those that have a name (`meta({ id })`) are written once and referred to. */
export class SchemaWriter {
  readonly components: Record<string, Json> = {};

  /** @param io `input` is what a client sends, `output` what it gets */
  write(schema: z.ZodType, io: 'input' | 'output'): Json {
    const written = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => tidy(jsonSchema),
    });
    const { $schema: _dialect, $defs: named = {}, ...rest } = pointToComponents(written);
    Object.assign(this.components, named);
    return rest;
  }

  /** Writes it as a component of this name. @returns the reference to it */
  name(id: string, schema: z.ZodType): Json {
    this.components[id] ??= this.write(schema, 'output');
    return { $ref: `#/components/schemas/${id}` };
  }
}

function pointToComponents(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/**
 * The bytes of a file, as OpenAPI 3.1 describes them: by their media type. As a text, which they are not, some generated clients
 * would take and give no `Blob`.
 */
export const BYTES: Json = { format: 'binary', contentMediaType: 'application/octet-stream' };

/** Removes what zod adds: patterns beside formats, the limits of safe integers, `readonly`; and says what bytes are. */
function tidy(schema: Json): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === 'binary') {
    delete schema.type;
    delete schema.contentEncoding;
    Object.assign(schema, BYTES);
  }
  // The names of properties are always text.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  delete schema.readOnly;
  delete schema.id;
}
