import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

/** Where a run did less than it could without failing. Counts of input items. */
export interface Shortfall {
  /** All items of the run. */
  items: number;
  failed: number;
  /** Of the failed ones, those that weren't sent because the service had stopped responding. */
  notSent: number;
  /** Those whose list stopped at the limit while there may be more rows. */
  limited: number;
}

/** Shows in n8n's editor where a run did less than it could: at most one hint of each kind. */
export function addHints(context: IExecuteFunctions, shortfall: Shortfall): void {
  const hints = [failureHint(context, shortfall), limitHint(shortfall)].filter((hint) => hint !== undefined);
  // Older versions of n8n don't have it.
  if (hints.length > 0) (context as Partial<IExecuteFunctions>).addExecutionHints?.(...hints);
}

function failureHint(
  context: IExecuteFunctions,
  { items, failed, notSent }: Shortfall,
): NodeExecutionHint | undefined {
  if (failed === 0) return undefined;
  const sentences = [`${ofItems(failed, items)} failed.`];
  if (notSent > 0)
    sentences.push(`${count(notSent)} of them weren't sent, because the service stopped responding.`);
  sentences.push(
    context.getNode().onError === 'continueErrorOutput'
      ? 'See the Error branch.'
      : 'Their output has an error field.',
  );
  return { message: sentences.join(' '), type: 'warning', location: 'outputPane' };
}

function limitHint({ items, limited }: Shortfall): NodeExecutionHint | undefined {
  if (limited === 0) return undefined;
  const where = items === 1 ? '' : ` for ${ofItems(limited, items)}`;
  return {
    message: `Stopped at the limit${where}, so there may be more results. To get them all, turn on Return All.`,
    type: 'info',
    location: 'outputPane',
  };
}

function ofItems(some: number, all: number): string {
  return `${count(some)} of ${count(all)} ${all === 1 ? 'item' : 'items'}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
