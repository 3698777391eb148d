import type { FieldDefinition } from '@qr-service/core/connector';
import type { PlainOutputField } from 'zapier-platform-core';

/** A field of a step's output. */
type OutputField = Pick<FieldDefinition, 'key' | 'label'> & { type: FieldDefinition['type'] | 'file' };

/** Values for fields that a sample doesn't have, as the editor can't show a field without one. */
const EXAMPLES = { folderId: 'fld_3nRv8K' };

/** Fields that people map most often. */
const FIRST =
  'name publicUrl file targetUrl outcome score scoreKind status scannedAt occurredAt updatedAt'.split(' ');
/** IDs that later steps need. */
const FIRST_IDS = ['id', 'qrId'];

/** Known fields that nobody maps: they are the same in all rows of a Zap, or only for support. */
const UNMAPPED = ['mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];

/** The order of keys in fields, samples and rows: what people map most often, then the rest, then IDs. */
function compareKeys(a: string, b: string): number {
  const rank = (key: string) => {
    if (FIRST.includes(key)) return FIRST.indexOf(key);
    return FIRST.length + (FIRST_IDS.includes(key) ? 1 : /Id$/.test(key) ? 2 : 0);
  };
  return rank(a) - rank(b);
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
  const shown = fields.filter(({ key }) => !UNMAPPED.includes(key));
  const outputFields = shown
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ key, label, type }) => ({
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
  const known = fields.map(({ key }) => key);
  const keys = [...new Set([...known, ...Object.keys(row)])].filter(
    (key) => !(known.includes(key) && UNMAPPED.includes(key)),
  );
  return Object.fromEntries(keys.sort(compareKeys).map((key) => [key, row[key] ?? null])) as Row;
}
