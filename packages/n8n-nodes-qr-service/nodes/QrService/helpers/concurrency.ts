import type { IExecuteFunctions } from 'n8n-workflow';
import { concurrencyOption } from '../descriptions/options.ts';

/** How many items a run works on at once, from its options; brought into the range that they name. */
export function readConcurrency(context: IExecuteFunctions): number {
  const { default: usual, typeOptions } = concurrencyOption;
  const given = Math.trunc(Number(context.getNodeParameter('options.concurrency', 0, usual)));
  return Math.min(typeOptions.maxValue, Math.max(typeOptions.minValue, Number.isNaN(given) ? usual : given));
}
