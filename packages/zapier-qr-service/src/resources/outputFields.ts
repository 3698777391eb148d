import type { FieldDefinition } from '@qr-service/core/connector';
import type { PlainOutputField } from 'zapier-platform-core';

/** A field of a step's output. */
type OutputField = Pick<FieldDefinition, 'key' | 'label'> & { type: FieldDefinition['type'] | 'file' };

/** Values for fields that a sample doesn't have, as the editor can't show a field without one. */
const EXAMPLES = { folderId: 'fld_3nRv8K' };

/** Fields that people map most often. */
const FIRST = [
  'name',
  'publicUrl',
  'file',
  'targetUrl',
  'outcome',
  'score',
  'scoreKind',
  'status',
  'scannedAt',
  'occurredAt',
  'updatedAt',
];
/** IDs that later steps need. */
const FIRST_IDS = ['id', 'qrId'];

/** Known fields that nobody maps: they are the same in all rows of a Zap, or only for support. */
const UNMAPPED = ['mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];

/** The order of fields, samples and rows: what people map most often, then the rest, then IDs. */
function inOutputOrder<Field extends { key: string }>(fields: readonly Field[]): Field[] {
  const rank = ({ key }: Field) => {
    const at = FIRST.indexOf(key);
    if (at !== -1) return at;
    if (FIRST_IDS.includes(key)) return FIRST.length + 1;
    return FIRST.length + (/Id$/.test(key) ? 2 : 0);
  };
  return [...fields].sort((a, b) => rank(a) - rank(b));
}

const isMapped = ({ key }: { key: string }) => !UNMAPPED.includes(key);

/**
 * Sample and output fields of a step: both have the same keys, each with a value. The `primary` fields together are
 * the key of Zapier's deduplication.
 */
export function output(
  fields: readonly OutputField[],
  example: Record<string, unknown>,
  primary: readonly string[] = [],
): { sample: Record<string, unknown>; outputFields: PlainOutputField[] } {
  const given = Object.entries(example).filter(([, value]) => value !== null);
  const values = { ...EXAMPLES, ...Object.fromEntries(given) } as Record<string, string | number>;
  const outputFields = inOutputOrder(fields.filter(isMapped)).map(({ key, label, type }) => ({
    key,
    label,
    type,
    sample: values[key] ?? null,
    ...(primary.includes(key) ? { primary: true } : {}),
  }));
  return { sample: Object.fromEntries(outputFields.map(({ key, sample }) => [key, sample])), outputFields };
}

/**
 * A row in output order with every known field that people map, so that a mapped field is never missing. Unknown fields
 * stay.
 */
export function withAllFields<Row extends Record<string, unknown>>(
  fields: readonly Pick<FieldDefinition, 'key'>[],
  row: Row,
): Row {
  const whole: Record<string, unknown> = {
    ...Object.fromEntries(fields.map(({ key }) => [key, null])),
    ...row,
  };
  const dropped = fields.filter((field) => !isMapped(field)).map(({ key }) => key);
  const entries = Object.entries(whole)
    .filter(([key]) => !dropped.includes(key))
    .map(([key, value]) => ({ key, value: value ?? null }));
  return Object.fromEntries(inOutputOrder(entries).map(({ key, value }) => [key, value])) as Row;
}
