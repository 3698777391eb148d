import type { Finding } from '../findings/Finding.ts';
import { safeJson } from './safeText.ts';
import { VERDICTS } from './summary.ts';
import { findingLines, type Terminal } from './terminalReport.ts';

/** The verdict about a captured delivery in one sentence. */
function headline(findings: readonly Finding[]): { isValid: boolean; sentence: string } {
  const isValid = !findings.some(({ verdict }) => verdict === 'fails');
  return {
    isValid,
    sentence: isValid ? 'The delivery is genuine and readable.' : 'The connectors refuse this delivery.',
  };
}

/** The report about a captured delivery, for a terminal. */
export function replayReport(findings: readonly Finding[], terminal: Terminal): string {
  const { isValid, sentence } = headline(findings);
  const { icon } = VERDICTS[isValid ? 'works' : 'fails'];
  return [...findingLines(findings, terminal), `${icon} ${sentence}`, ''].join('\n');
}

/** The same as JSON. */
export function replayJson(findings: readonly Finding[]): string {
  const { isValid, sentence } = headline(findings);
  return safeJson({ verdict: isValid ? 'works' : 'fails', headline: sentence, findings });
}
