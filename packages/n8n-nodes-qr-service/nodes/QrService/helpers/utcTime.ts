import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow';

/**
 * A date and time of a parameter as ISO 8601 UTC, read in the workflow's time zone where it names none;
 * undefined when it is empty.
 */
export function utcTime(context: IExecuteFunctions, value: unknown, itemIndex: number): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  try {
    return new Date(tryToParseDateTime(value, context.getTimezone()).toMillis()).toISOString();
  } catch {
    throw new NodeOperationError(context.getNode(), 'The time given is no date and time.', {
      description: 'Give it like 2026-01-31T09:00:00Z.',
      itemIndex,
    });
  }
}
