import {
  EVENT_ENVELOPE_FIELDS,
  EVENT_TYPES,
  EVENTS,
  eventFields,
  eventRow,
  inOutputOrder,
  QR_CODE_FIELDS,
  SAMPLE_QR_CODE,
  SAMPLE_SCAN,
  SCAN_FIELDS,
  sampleEvent,
  SCOPES,
  UPSERT_OUTCOMES,
  type EventType,
  type FieldDefinition,
} from './deps.ts';

/** A JSON Schema. n8n's editor shows the first of several types. */
interface OutputSchema {
  properties?: Record<string, OutputSchema>;
  [keyword: string]: unknown;
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

const TARGETED = object(inOutputOrder({ ...CODE.properties, targetUrl: { ...text, format: 'uri' } }));

const SCAN = row(SCAN_FIELDS, SAMPLE_SCAN);

const nullable: OutputSchema = { type: ['string', 'null'] };
const SCANNED_CODE = { name: nullable, publicUrl: nullable };

/** The row for one kind of event. */
function eventSchema(about: (typeof EVENTS)[EventType]['about']): OutputSchema {
  const types = EVENT_TYPES.filter((type) => EVENTS[type].about === about);
  const first = types[0] as EventType;
  const sample = eventRow(sampleEvent(first), 'dlv_sample');
  const keys = Object.keys(sample);
  const fields = [...eventFields(first)].sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
  const { properties, ...schema } = row(fields, sample);
  return {
    ...schema,
    properties: { ...properties, type: { type: 'string', enum: types } },
    required: EVENT_ENVELOPE_FIELDS.map(({ key }) => key),
  };
}

/** The schemas of each node, by path below `__schema__`: from them, n8n shows the fields of a node that never ran. */
export const SCHEMAS: Record<string, Record<string, OutputSchema>> = {
  QrService: {
    'account/get': object({
      workspace: object({ id: text, name: text }),
      // The service may have scopes that this package doesn't know.
      scopes: listOf(text),
      missingScopes: listOf({ type: 'string', enum: SCOPES }),
      unavailable: listOf(text),
    }),
    'qrCode/create': TARGETED,
    'qrCode/find': CODE,
    'qrCode/get': CODE,
    'qrCode/getAll': CODE,
    'qrCode/publish': CODE,
    'qrCode/render': {
      description: 'The fields of the input item, such as those of a code; the image is in its binary field.',
      ...CODE,
    },
    'qrCode/retarget': TARGETED,
    'qrCode/upsert': object(
      inOutputOrder({ ...TARGETED.properties, outcome: { ...text, enum: UPSERT_OUTCOMES } }),
    ),
    // With Group By for days or the total, it has other fields.
    'scan/count': object({
      id: nullable,
      ...SCANNED_CODE,
      scans: { type: 'integer' },
      since: nullable,
      until: nullable,
    }),
    'scan/getAll': object({ ...SCAN.properties, scannedCode: object(SCANNED_CODE) }),
  },
  QrServiceTrigger: {
    output: { type: 'object', anyOf: [eventSchema('code'), eventSchema('feedback'), eventSchema('other')] },
  },
  QrServicePollingTrigger: {
    output: {
      type: 'object',
      anyOf: [
        { description: 'Changed QR codes.', ...CODE },
        { description: 'Scans.', ...SCAN },
      ],
    },
  },
};
