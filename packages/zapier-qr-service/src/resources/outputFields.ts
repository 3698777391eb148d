import type { FieldDefinition } from '@qr-service/core/connector';
import type { PlainOutputField } from 'zapier-platform-core';

/** A field of a step's output. */
export type OutputField = Pick<FieldDefinition, 'key' | 'label'> & { type: FieldDefinition['type'] | 'file' };

type Sample = string | number | null;

/** A real picture, in case people skip the step's test. */
const SAMPLE_FILE =
  'https://github.com/qr-service/qr-service-connector/raw/HEAD/packages/zapier-qr-service/logo.png';

/** Values for fields that a sample doesn't have, as the editor can't show a field without one. */
const EXAMPLES: Record<string, unknown> = { folderId: 'fld_3nRv8K' };

const IMAGES = ['file', 'imagePng', 'imageSvg', 'imagePdf'];
const TIMES = ['scannedAt', 'occurredAt', 'updatedAt'];
const DETAILS = ['targetUrl', 'outcome', 'score', 'scoreKind', 'status'];
/** Fields that people map most often. */
const FIRST = ['name', 'publicUrl', ...IMAGES, ...DETAILS, ...TIMES];

/** Known fields that nobody maps: they are the same in all rows of a Zap, or only for support. */
const UNMAPPED = ['mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];

/** The place of a key in fields, samples and rows: what people map most often, then the rest, then IDs. */
function rankOf(key: string): number {
  if (FIRST.includes(key)) return FIRST.indexOf(key);
  // IDs that later steps need.
  if (key === 'id' || key === 'qrId') return FIRST.length + 1;
  return key.endsWith('Id') ? FIRST.length + 2 : FIRST.length;
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
  const shown = fields.filter(({ key }) => !UNMAPPED.includes(key));
  const outputFields = shown
    .sort((a, b) => rankOf(a.key) - rankOf(b.key))
    .map(({ key, label, type }) => ({
      key,
      label,
      type,
      sample: (example[key] ?? (type === 'file' ? SAMPLE_FILE : EXAMPLES[key]) ?? null) as Sample,
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
  return Object.fromEntries(
    keys.sort((a, b) => rankOf(a) - rankOf(b)).map((key) => [key, row[key] ?? null]),
  ) as Row;
}
