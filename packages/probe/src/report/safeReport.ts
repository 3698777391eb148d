import { showText } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import { mapTexts } from '../http/redact.ts';
import type { ProbeReport } from '../findings/ProbeReport.ts';

/** Longest text in a report, in characters. */
const LONGEST = 1000;
/** Requests and responses are longer. */
const LONGEST_DETAILS = 20_000;
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;

const safeText = (text: string) => showText(text, LONGEST);

/** The same for text of several lines, which keep their breaks. */
const safeLines = (text: string) =>
  text
    .slice(0, LONGEST_DETAILS)
    .split(/\r?\n/)
    .map((line) => showText(line, LONGEST_DETAILS))
    .join('\n');

/** Findings with safe texts. */
export function safeFindings(findings: readonly Finding[]): Finding[] {
  return findings.map(({ details, ...rest }) => ({
    ...mapTexts(rest, safeText),
    ...(details !== undefined && { details: details.map(safeLines) }),
  }));
}

/** A report with safe texts. Only its shape stays as it is. */
export function safeReport(report: ProbeReport): ProbeReport {
  return {
    ...report,
    host: safeText(report.host),
    findings: safeFindings(report.findings),
    leftBehind: mapTexts(report.leftBehind, safeText),
  };
}

/** A value as JSON that is safe to print: what a terminal could take for an escape code is escaped. */
export function safeJson(value: unknown): string {
  const escape = (character: string) =>
    Array.from({ length: character.length }, (_, at) => {
      const code = character.charCodeAt(at).toString(16);
      return `\\u${code.padStart(4, '0')}`;
    }).join('');
  const json = JSON.stringify(value, undefined, 2).replaceAll(CONTROL, (character) =>
    character === '\n' ? character : escape(character),
  );
  return `${json}\n`;
}
