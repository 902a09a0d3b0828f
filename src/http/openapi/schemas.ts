import { z } from 'zod';

export type Json = Record<string, unknown>;

/** Converts zod schemas to JSON Schema. Named ones (`meta({ id })`) are written once and referenced. */
export class SchemaWriter {
  readonly components: Record<string, Json> = {};

  /** @param io `input` for requests, `output` for responses */
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

  /** Adds a component of this name. @returns its reference */
  name(id: string, schema: z.ZodType): Json {
    this.components[id] ??= this.write(schema, 'output');
    return { $ref: `#/components/schemas/${id}` };
  }
}

function pointToComponents(schema: object): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/**
 * The bytes of a file, as OpenAPI 3.1 describes them: by their media type. Described as text, which they are not, some
 * generated clients would take and return no `Blob`.
 */
export const BYTES: Json = { format: 'binary', contentMediaType: 'application/octet-stream' };

/** Removes additions of zod (patterns of formats, limits of safe integers, `readonly`) and describes bytes. */
function tidy(schema: Json): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === 'binary') {
    delete schema.type;
    delete schema.contentEncoding;
    Object.assign(schema, BYTES);
  }
  // Property names are always strings.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  delete schema.readOnly;
  delete schema.id;
}
