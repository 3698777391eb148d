import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { codeLabel, showText, type QrCode } from '../../../core.ts';

/** Results of a run's items. */
interface Outcome {
  items: number;
  /** How many items had each outcome: see `outcomeOf`. */
  counts: ReadonlyMap<string, number>;
  failed: number;
  /** Failed items that weren't sent because the service had stopped responding. */
  notSent: number;
  /** Codes whose images were downloaded although they aren't published. */
  unpublished: readonly QrCode[];
}

/** Outcome of each operation's items. An upsert's items say their own, and operations that only read have none. */
const OUTCOMES: Record<string, string> = {
  'qrCode.create': 'created',
  'qrCode.publish': 'published',
  'qrCode.render': 'downloaded',
  'qrCode.retarget': 'updated',
};

/** Maximum number of codes that are named. */
const MAX_NAMED = 3;

/** Maximum length of a code's name. */
const MAX_NAME_LENGTH = 60;

/** The result of an item in a word; empty if it isn't counted. */
export function outcomeOf(operation: string, [output]: readonly INodeExecutionData[]): string {
  if (operation === 'qrCode.upsert') return (output?.json['outcome'] as string | undefined) ?? '';
  return OUTCOMES[operation] ?? '';
}

/**
 * Sums up a run in one hint of n8n's editor: a run that continues on errors, or that downloads codes which nobody can scan,
 * looks successful. If a list stopped at its limit, n8n shows that itself.
 */
export function sumUp(context: IExecuteFunctions, outcome: Outcome): void {
  const warnings = [...aboutFailures(context, outcome), ...aboutUnpublished(outcome)];
  const { counts, items } = outcome;
  const summary = [...new Set(['created', 'updated', ...counts.keys()])]
    .filter((what) => what !== '' && counts.has(what))
    .map((what) => `${count(counts.get(what) ?? 0)} ${what}`);
  const sentences = [...(items > 1 && summary.length > 0 ? [`${summary.join(', ')}.`] : []), ...warnings];
  if (sentences.length === 0) return;
  // Older versions of n8n don't have this method. Without a location, the next node's input would show the hint as well.
  (context as Partial<IExecuteFunctions>).addExecutionHints?.({
    message: sentences.join(' '),
    type: warnings.length > 0 ? 'warning' : 'info',
    location: 'outputPane',
  });
}

function aboutFailures(context: IExecuteFunctions, { items, failed, notSent }: Outcome): string[] {
  if (failed === 0) return [];
  const sentences = [items === 1 ? 'The item failed.' : `${count(failed)} of ${count(items)} items failed.`];
  if (notSent > 0)
    sentences.push(
      `${count(notSent)} of them ${notSent === 1 ? "wasn't" : "weren't"} sent, because the service stopped responding.`,
    );
  const { onError } = context.getNode();
  sentences.push(
    onError === 'continueErrorOutput'
      ? 'See the error output.'
      : `${failed === 1 ? 'Its' : 'Their'} output has an error field.`,
  );
  return sentences;
}

function aboutUnpublished({ unpublished }: Outcome): string[] {
  const [first] = unpublished;
  if (first === undefined) return [];
  const named = unpublished.slice(0, MAX_NAMED).map((code) => showText(codeLabel(code), MAX_NAME_LENGTH));
  const rest = unpublished.length - named.length;
  const names = `${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`;
  return unpublished.length === 1
    ? [`1 QR code isn't published, so its short link doesn't work: ${names}.`]
    : [`${count(unpublished.length)} QR codes aren't published, so their short links don't work: ${names}.`];
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
