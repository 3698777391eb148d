import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** Result of a run's items. */
interface ItemCounts {
  items: number;
  failed: number;
  /** Failed items that weren't sent because the service had stopped responding. */
  notSent: number;
}

/**
 * Shows in n8n's editor how many items failed: a run that continues on errors looks successful. If a list stopped at its
 * limit, n8n shows that itself.
 */
export function hintAtFailures(context: IExecuteFunctions, { items, failed, notSent }: ItemCounts): void {
  if (failed === 0) return;
  const sentences = [`${count(failed)} of ${count(items)} ${items === 1 ? 'item' : 'items'} failed.`];
  if (notSent > 0)
    sentences.push(
      `${count(notSent)} of them ${notSent === 1 ? "wasn't" : "weren't"} sent, because the service stopped responding.`,
    );
  const { onError } = context.getNode();
  sentences.push(
    onError === 'continueErrorOutput' ? 'See the error output.' : 'Their output has an error field.',
  );
  warn(context, sentences.join(' '));
}

/**
 * Warns in n8n's editor about downloaded images of unpublished codes, before somebody prints them.
 * @param outputs items with an image; those without a summary of their code are not counted
 */
export function hintAtUnpublished(context: IExecuteFunctions, outputs: readonly INodeExecutionData[]): void {
  const unpublished = outputs.filter(({ json, binary }) => {
    const { publicUrl, status } = json;
    return (
      binary !== undefined &&
      typeof publicUrl === 'string' &&
      typeof status === 'string' &&
      status !== 'published'
    );
  }).length;
  if (unpublished === 0) return;
  warn(
    context,
    unpublished === 1
      ? "1 QR code isn't published. Its short link doesn't work yet."
      : `${count(unpublished)} QR codes aren't published. Their short links don't work yet.`,
  );
}

function warn(context: IExecuteFunctions, message: string): void {
  // Older versions of n8n don't have this method. Without a location, the next node's input would show the hint as well.
  (context as Partial<IExecuteFunctions>).addExecutionHints?.({
    message,
    type: 'warning',
    location: 'outputPane',
  });
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
