import { styleText } from 'node:util';
import type { Finding, Verdict } from '../findings/Finding.ts';
import { LEFT_BEHIND, leftText, type LeftBehind, type ProbeReport } from '../findings/ProbeReport.ts';
import { safeFindings, safeReport } from './safeReport.ts';
import { byArea, circumstances, hasAccess, summarize, VERDICTS } from './summary.ts';

/** What a terminal can show. */
export interface Terminal {
  /** Columns. */
  width: number;
  colors: boolean;
}

const COLORS = { works: 'green', differs: 'yellow', fails: 'red', unknown: 'gray' } as const;
const NARROWEST = 50;
const WIDEST = 110;

/** The report for a terminal. */
export function terminalReport(given: ProbeReport, terminal: Terminal): string {
  const report = safeReport(given);
  const summary = summarize(report.findings, report);
  const paint = painter(terminal);
  const headline = paint(COLORS[summary.verdict], `${VERDICTS[summary.verdict].icon} ${summary.headline}`);
  // Without access, all else is unknown.
  const shown = (findings: readonly Finding[]) =>
    findings.filter(({ verdict }) => verdict !== 'unknown' || hasAccess(report.findings));
  return [
    paint('bold', `Probe of ${report.host}`),
    circumstances(report),
    '',
    headline,
    '',
    ...findingLines(shown(summary.jobs), terminal),
    ...summary.failures.flatMap(({ area, title, value }, at) => [
      ...wrap(`✘ ${area}: ${title}${value === undefined ? '' : ` (${value})`}`, '', terminal),
      ...(at === summary.failures.length - 1 ? [''] : []),
    ]),
    legend(),
    '',
    ...findingLines(shown(report.findings), terminal),
    ...leftBehindLines(report.leftBehind, terminal),
    // Where a terminal shows it.
    headline,
    '',
  ].join('\n');
}

/** Findings by area, with a legend of the signs. */
export function findingLines(given: readonly Finding[], terminal: Terminal): string[] {
  const findings = safeFindings(given);
  const paint = painter(terminal);
  const width = Math.max(0, ...findings.map(({ title }) => title.length));
  return byArea(findings).flatMap(([area, found]) => [
    paint('bold', area),
    ...found.flatMap((finding, at) =>
      linesOf(withoutRepetition(finding, found[at + 1]), Math.min(width, 48), terminal),
    ),
    '',
  ]);
}

/** Without an explanation that the next finding repeats. */
function withoutRepetition(finding: Finding, next: Finding | undefined): Finding {
  const { explanation, ...rest } = finding;
  return explanation === next?.explanation ? rest : finding;
}

function linesOf(finding: Finding, width: number, terminal: Terminal): string[] {
  const { title, verdict, value = '', explanation = '', details = [] } = finding;
  const paint = painter(terminal);
  const mark = paint(COLORS[verdict], VERDICTS[verdict].icon);
  const shown =
    value === '' && (verdict !== 'works' || finding.area === 'Jobs') ? VERDICTS[verdict].word : value;
  const [first = '', ...rest] = wrap(`${title.padEnd(width)}  ${shown}`, '    ', terminal);
  return [
    `  ${mark} ${first.trim()}`,
    ...rest,
    ...wrap(explanation, '      ', terminal).map((line) => paint('gray', line)),
    ...details.flatMap((detail) => ['', ...detail.split('\n').map((line) => paint('gray', `      ${line}`))]),
  ];
}

function leftBehindLines(leftBehind: readonly LeftBehind[], terminal: Terminal): string[] {
  if (leftBehind.length === 0) return [];
  return [
    painter(terminal)('bold', 'Left behind'),
    ...wrap(LEFT_BEHIND, '  ', terminal),
    ...leftBehind.map((left) => `  - ${leftText(left)}`),
    '',
  ];
}

/** The meaning of each sign. */
function legend(): string {
  return (Object.keys(VERDICTS) as Verdict[])
    .map((verdict) => `${VERDICTS[verdict].icon} ${VERDICTS[verdict].word}`)
    .join('   ');
}

type Style = Parameters<typeof styleText>[0];

function painter({ colors }: Terminal): (style: Style, text: string) => string {
  return (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
}

/** Breaks a text between words, so that it fits, and indents each line. */
function wrap(text: string, indent: string, { width }: Terminal): string[] {
  const room = Math.min(Math.max(width, NARROWEST), WIDEST) - indent.length;
  const lines: string[] = [];
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    const last = lines.at(-1);
    if (last !== undefined && `${last}${word}`.trimEnd().length <= room)
      lines[lines.length - 1] = last + word;
    else lines.push(word);
  }
  return lines.map((line) => indent + line.trimEnd()).filter((line) => line.trim() !== '');
}
