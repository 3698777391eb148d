import type { Finding, Verdict } from '../findings/Finding.ts';
import { safeJson } from './safeReport.ts';
import { VERDICTS } from './summary.ts';
import { findingLines, type Terminal } from './terminalReport.ts';

/** The verdict about a captured delivery in one sentence. */
export function judgeReplay(findings: readonly Finding[]): { verdict: Verdict; headline: string } {
  if (findings.some(({ verdict }) => verdict === 'fails'))
    return { verdict: 'fails', headline: 'The connectors refuse this delivery.' };
  if (findings.some(({ verdict }) => verdict === 'unknown'))
    return {
      verdict: 'unknown',
      headline: "This file doesn't show whether the connectors accept the delivery.",
    };
  return { verdict: 'works', headline: 'The delivery is genuine and readable.' };
}

/** The report about a captured delivery, for a terminal. */
export function replayReport(findings: readonly Finding[], terminal: Terminal): string {
  const { verdict, headline } = judgeReplay(findings);
  return [...findingLines(findings, terminal), `${VERDICTS[verdict].icon} ${headline}`, ''].join('\n');
}

/** The same as JSON. */
export function replayJson(findings: readonly Finding[]): string {
  return safeJson({ ...judgeReplay(findings), findings });
}
