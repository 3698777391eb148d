import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import {
  EVENT_ENVELOPE_FIELDS,
  EVENT_TYPES,
  EVENTS,
  eventFields,
  eventRow,
  QR_CODE_FIELDS,
  SAMPLE_QR_CODE,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  sampleEvent,
  SCOPES,
  UPSERT_OUTCOMES,
  type EventDefinition,
  type EventType,
  type FieldDefinition,
} from './core.ts';

/** The parts of JSON Schema that the schemas use. */
export interface OutputSchema {
  description?: string;
  /** n8n's editor shows the first of several types. */
  type?: string | string[];
  format?: string;
  enum?: readonly string[];
  examples?: unknown[];
  properties?: Record<string, OutputSchema>;
  required?: string[];
  items?: OutputSchema;
  anyOf?: OutputSchema[];
}

const JSON_TYPES = { string: 'string', integer: 'integer', datetime: 'string' };

const text: OutputSchema = { type: 'string' };
const listOf = (items: OutputSchema): OutputSchema => ({ type: 'array', items });
const object = (properties: Record<string, OutputSchema>): OutputSchema => ({ type: 'object', properties });

/** The fields of a row, with the values of a sample. */
function row(fields: readonly FieldDefinition[], sample: Record<string, unknown>): OutputSchema {
  return object(
    Object.fromEntries(fields.map((field) => [field.key, fieldSchema(field, sample[field.key])])),
  );
}

function fieldSchema({ type, nullable }: FieldDefinition, example: unknown): OutputSchema {
  const json = JSON_TYPES[type];
  const schema: OutputSchema = { type: nullable ? [json, 'null'] : json };
  // No example, so that n8n's AI fills in current times: nodes that follow would filter out old ones.
  if (type === 'datetime') return { ...schema, format: 'date-time' };
  return example === undefined || example === null ? schema : { ...schema, examples: [example] };
}

const CODE = row(QR_CODE_FIELDS, SAMPLE_QR_CODE);

const TARGETED = object({ ...CODE.properties, targetUrl: { ...text, format: 'uri' } });

const SCAN = row(SCAN_FIELDS, SAMPLE_SCAN);

const ACCOUNT = object({
  workspace: object({ id: text, name: text }),
  // The service may have scopes that this package doesn't know.
  scopes: listOf(text),
  missingScopes: listOf({ type: 'string', enum: SCOPES }),
  unavailable: listOf(text),
});

const IMAGE: OutputSchema = {
  description: 'The fields of the input item; the image is in its binary field.',
  ...object({}),
};

/** What each operation outputs, by resource. */
const OPERATIONS: Record<string, Record<string, OutputSchema>> = {
  account: { get: ACCOUNT },
  qrCode: {
    create: TARGETED,
    find: CODE,
    get: CODE,
    getAll: CODE,
    publish: CODE,
    render: IMAGE,
    retarget: TARGETED,
    upsert: object({ ...TARGETED.properties, outcome: { ...text, enum: UPSERT_OUTCOMES } }),
  },
  scan: { getAll: SCAN },
};

/** The row for one kind of event. */
function eventSchema(about: EventDefinition['about']): OutputSchema {
  const types = EVENT_TYPES.filter((type) => EVENTS[type].about === about);
  const first = types[0] as EventType;
  const { properties, ...schema } = row(eventFields(first), eventRow(sampleEvent(first), 'dlv_sample'));
  return {
    ...schema,
    properties: { ...properties, type: { type: 'string', enum: types } },
    required: EVENT_ENVELOPE_FIELDS.map(({ key }) => key),
  };
}

/** What each trigger outputs. */
const TRIGGERS: Record<string, OutputSchema> = {
  qrServiceTrigger: {
    type: 'object',
    anyOf: [eventSchema('code'), eventSchema('feedback'), eventSchema('other')],
  },
  qrServicePollingTrigger: {
    type: 'object',
    anyOf: [
      { description: 'Changed QR codes.', ...CODE },
      { description: 'Scans.', ...SCAN },
    ],
  },
};

/** The part of a node's description that its schema files depend on. */
export type SchemaSource = Pick<INodeTypeDescription, 'name'> & {
  properties: Pick<INodeProperties, 'name' | 'options' | 'displayOptions'>[];
};

/** n8n's folder for version 1, which all nodes have. */
const FOLDER = 'v1.0.0';

/**
 * A node's schema files, by path below `__schema__`: one for each operation, or one for a trigger. From them, n8n shows
 * the fields of a node that never ran.
 * @throws Error for an operation or a trigger without a schema
 */
export function schemaFiles({ name, properties }: SchemaSource): Record<string, OutputSchema> {
  const operations = properties
    .filter((property) => property.name === 'operation')
    .flatMap(({ displayOptions, options = [] }) =>
      ((displayOptions?.show?.['resource'] ?? []) as string[]).flatMap((resource) =>
        options.flatMap((option) => ('value' in option ? `${resource}/${option.value}` : [])),
      ),
    );
  const files = operations.length === 0 ? ['output'] : operations;
  return Object.fromEntries(files.map((file) => [`${FOLDER}/${file}.json`, schemaOf(name, file)]));
}

function schemaOf(node: string, file: string): OutputSchema {
  const [resource = '', operation] = file.split('/');
  const schema = operation === undefined ? TRIGGERS[node] : OPERATIONS[resource]?.[operation];
  if (schema === undefined) throw new Error(`outputSchemas.ts has no schema for ${node}, ${file}.`);
  return schema;
}
