import type { FieldFacts } from '@qr-service/core';
import type { PlainOutputField } from 'zapier-platform-core';

/** Zapier's output fields for fields of the core, some of them `primary`: together the key of Zapier's deduplication. */
export function outputFields(
  fields: readonly FieldFacts[],
  primary: readonly string[] = [],
): PlainOutputField[] {
  return fields.map(({ key, label, type }) => ({
    key,
    label,
    type,
    ...(primary.includes(key) ? { primary: true } : {}),
  }));
}

/** A row in which every known field is present, so that a mapped field never goes missing. */
export function withAllFields<Row extends Record<string, unknown>>(
  fields: readonly FieldFacts[],
  row: Row,
): Row {
  return { ...Object.fromEntries(fields.map(({ key }) => [key, null])), ...row };
}
