import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { codeLabel, showText, type QrCode } from '../../../deps.ts';
import type { Run } from './run.ts';

/** Results of a run's items. */
interface Outcome extends Partial<Pick<Run, 'notes' | 'unpublished'>> {
  items: number;
  /** How many items had each outcome: see `outcomeOf`. */
  counts?: ReadonlyMap<string, number>;
  failed: number;
  /** Failed items that weren't sent because the service had stopped responding. */
  notSent: number;
}

/** Outcome of each operation's items. An upsert's items say their own, and operations that only read have none. */
const OUTCOMES: Record<string, string> = {
  'qrCode.create': 'created',
  'qrCode.publish': 'published',
  'qrCode.render': 'downloaded',
  'qrCode.retarget': 'updated',
};
const ORDER = ['created', 'updated', 'unchanged', 'published', 'downloaded'];

/** The result of an item in a word; empty if it isn't counted. */
export function outcomeOf(operation: string, [output]: readonly INodeExecutionData[]): string {
  if (operation === 'qrCode.upsert') return output?.json['outcome'] as string;
  return OUTCOMES[operation] ?? '';
}

/**
 * Sums up a run in one hint of n8n's editor: a run that continues on errors, or that downloads codes which nobody can scan,
 * looks successful. If a list stopped at its limit, n8n shows that itself.
 */
export function sumUp(context: IExecuteFunctions, outcome: Outcome): void {
  const { items, counts = new Map<string, number>(), unpublished = new Map<string, QrCode>() } = outcome;
  const done = ORDER.filter((what) => counts.has(what)).map((what) => `${count(counts.get(what))} ${what}`);
  const told = [failures(context, outcome), unusable([...unpublished.values()]), ...(outcome.notes ?? [])];
  const warnings = told.filter(Boolean);
  const sentences = [...(items > 1 && done.length > 0 ? [`${done.join(', ')}.`] : []), ...warnings];
  if (sentences.length === 0) return;
  // Without a location, the next node's input would show the hint as well.
  context.addExecutionHints({
    message: sentences.join(' '),
    type: warnings.length > 0 ? 'warning' : 'info',
    location: 'outputPane',
  });
}

function failures(context: IExecuteFunctions, { items, failed, notSent }: Outcome): string {
  if (failed === 0) return '';
  const unsent = notSent === 0 ? '' : ` Not sent, because the service stopped responding: ${count(notSent)}.`;
  const isOutput = context.getNode().onError === 'continueErrorOutput';
  const who = items === 1 ? 'The item' : `${count(failed)} of ${count(items)} items`;
  return `${who} failed.${unsent} See the error ${isOutput ? 'output' : 'field'}.`;
}

/** Names up to three codes. */
function unusable(codes: readonly QrCode[]): string {
  if (codes.length === 0) return '';
  const named = codes.slice(0, 3).map((code) => showText(codeLabel(code), 60));
  const rest = codes.length - named.length;
  return `Not published, so the short links don't work: ${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}.`;
}

function count(value = 0): string {
  return value.toLocaleString('en-US');
}
