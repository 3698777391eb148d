import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod';

const IGNORED = z.array(z.string()).optional();

/** Schema of an error in a result: see `ToolError`. Short, as most tools repeat it twice. */
export const ERROR_SCHEMA = z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() });

/**
 * The arguments of a tool as it advertises them. Each tool reads what it is sent itself: models send numbers as text,
 * null for nothing and fields that don't exist, and errors must name the argument in the words of the other connectors.
 */
export function argumentsSchema(schema: z.ZodObject): StandardSchemaWithJSON<Record<string, unknown>> {
  return standard(toJson(schema, 'input'), (value) => ({ value: value as Record<string, unknown> }));
}

/** The structured content of a tool: its own fields, or an error. Clients validate errors, too. */
export function resultSchema(output: z.ZodObject): StandardSchemaWithJSON {
  const schema = output.extend({ ignoredArguments: IGNORED });
  const { required = [], properties, ...json } = toJson(schema, 'output');
  return standard(
    {
      ...json,
      properties: { ...(properties as object), error: { type: 'object' } },
      anyOf: [{ required }, { required: ['error'] }],
    },
    (value) => {
      const { success, data, error: invalid } = schema.safeParse(value);
      return success ? { value: data } : { issues: invalid.issues };
    },
  );
}

/** As short JSON Schema, as it costs a model's context: without what says nothing or can be said in fewer words. */
function toJson(
  schema: z.ZodObject,
  io: 'input' | 'output',
): Record<string, unknown> & { required?: string[] } {
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

function standard<Value>(
  schema: Record<string, unknown>,
  validate: StandardSchemaWithJSON<Value>['~standard']['validate'],
): StandardSchemaWithJSON<Value> {
  const get = () => schema;
  return {
    '~standard': { version: 1, vendor: 'qr-service-mcp', validate, jsonSchema: { input: get, output: get } },
  };
}
