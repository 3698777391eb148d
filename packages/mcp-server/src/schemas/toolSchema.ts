import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { objectSchema, type ArgumentsSpec } from './arguments.ts';

/** Schema of an error in a result: see `ToolError`. Short, as most tools repeat it twice. */
export const ERROR_SCHEMA = z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() });

/** The arguments of a tool as clients see them. `readArguments` reads them: its errors say what to do. */
export function argumentsSchema(spec: ArgumentsSpec): StandardSchemaWithJSON<Record<string, unknown>> {
  return standard(toJson(objectSchema(spec), 'input'));
}

/** The structured content of a tool: its own fields, or an error. Clients validate errors, too. */
export function resultSchema(output: z.ZodObject): StandardSchemaWithJSON<Record<string, unknown>> {
  const { required = [], properties, ...json } = toJson(output, 'output');
  return standard({
    ...json,
    properties: { ...(properties as object), error: { type: 'object' } },
    anyOf: [{ required }, { required: ['error'] }],
  });
}

/** As short JSON Schema, as it costs a model's context: without what says nothing or can be said in fewer words. */
function toJson(schema: z.ZodObject, io: 'input' | 'output') {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (['{}', 'false'].includes(JSON.stringify(jsonSchema.additionalProperties)))
        delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
    },
  });
  return json;
}

function standard(schema: Record<string, unknown>): StandardSchemaWithJSON<Record<string, unknown>> {
  const get = () => schema;
  const jsonSchema = { input: get, output: get };
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> });
  return { '~standard': { version: 1, vendor: 'qr-service-mcp', validate, jsonSchema } };
}
