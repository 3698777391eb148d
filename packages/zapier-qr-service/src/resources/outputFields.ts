import type { FieldDefinition } from '@qr-service/core/connector';
import type { PlainOutputField } from 'zapier-platform-core';

/** A field of a step's output. */
type OutputField = Pick<FieldDefinition, 'key' | 'label'> & { type: FieldDefinition['type'] | 'file' };

/** Values for fields that the example doesn't have, as the editor can't show a field without one. */
export const EXAMPLES = { folderId: 'fld_3nRv8K', deliveryId: 'dlv_sample' };

/** Fields that people map most often. */
const FIRST = ['name', 'publicUrl', 'file', 'score', 'scoreKind', 'status', 'scannedAt', 'occurredAt'];

/** The order of fields, samples and rows: what people map most often, then the rest, then IDs. */
function inOutputOrder<Field extends { key: string }>(fields: readonly Field[]): Field[] {
  const rank = ({ key }: Field) => {
    const at = FIRST.indexOf(key);
    return at === -1 ? FIRST.length + Number(/^id$|Id$/.test(key)) : at;
  };
  return [...fields].sort((a, b) => rank(a) - rank(b));
}

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
  const outputFields = inOutputOrder(fields).map(({ key, label, type }) => ({
    key,
    label,
    type,
    sample: values[key] ?? null,
    ...(primary.includes(key) ? { primary: true } : {}),
  }));
  return { sample: Object.fromEntries(outputFields.map(({ key, sample }) => [key, sample])), outputFields };
}

/** A row in output order with every known field, so that a mapped field is never missing. */
export function withAllFields<Row extends Record<string, unknown>>(
  fields: readonly Pick<FieldDefinition, 'key'>[],
  row: Row,
): Row {
  const whole: Record<string, unknown> = {
    ...Object.fromEntries(fields.map(({ key }) => [key, null])),
    ...row,
  };
  const entries = Object.entries(whole).map(([key, value]) => ({ key, value: value ?? null }));
  return Object.fromEntries(inOutputOrder(entries).map(({ key, value }) => [key, value])) as Row;
}
