import type { IExecuteFunctions } from 'n8n-workflow';
import { codeLabel, showText } from '../../../deps.ts';
import { OUTCOMES, type ItemResult, type KnownCode } from './operation.ts';

/** How a run's items ended. `notSent` counts those that failed unsent, because the service had stopped responding. */
interface Ends {
  items: number;
  failed: number;
  notSent: number;
}

/** Sums up a run in a hint, as one that continues on errors or downloads codes that nobody can scan looks successful. */
export function sumUp(context: IExecuteFunctions, results: readonly ItemResult[], ends: Ends): void {
  const others = results.flatMap(({ warning }) => warning ?? []);
  const told = [failures(context, ends), unusable(results), ...new Set(others)];
  const warnings = told.filter(Boolean);
  const sentences = [successes(results, ends), ...warnings].filter(Boolean);
  if (sentences.length === 0) return;
  const type = warnings.length > 0 ? 'warning' : 'info';
  // Without a location, the next node's input would show the hint as well.
  context.addExecutionHints({ message: sentences.join(' '), type, location: 'outputPane' });
}

function successes(results: readonly ItemResult[], { items }: Ends): string {
  if (items === 1) return results[0]?.note ?? '';
  const counts = OUTCOMES.map((outcome) => {
    const { length } = results.filter((result) => result.outcome === outcome);
    return length === 0 ? '' : `${count(length)} ${outcome}`;
  }).filter(Boolean);
  return counts.length === 0 ? '' : `${counts.join(', ')}.`;
}

function failures(context: IExecuteFunctions, { items, failed, notSent }: Ends): string {
  if (failed === 0) return '';
  const unsent = notSent === 0 ? '' : ` Not sent, because the service stopped responding: ${count(notSent)}.`;
  const isOutput = context.getNode().onError === 'continueErrorOutput';
  const who = items === 1 ? 'The item' : `${count(failed)} of ${count(items)} items`;
  return `${who} failed.${unsent} See the error ${isOutput ? 'output' : 'field'}.`;
}

/** Names up to three codes that nobody can scan. */
function unusable(results: readonly ItemResult[]): string {
  const byId = new Map<string, KnownCode>();
  for (const { unpublished } of results) if (unpublished !== undefined) byId.set(unpublished.id, unpublished);
  if (byId.size === 0) return '';
  const named = [...byId.values()].slice(0, 3).map((code) => showText(codeLabel(code), 60));
  const rest = byId.size - named.length;
  return `Not published, so the short links don't work: ${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}.`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
