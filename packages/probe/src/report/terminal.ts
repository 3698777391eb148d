import { styleText } from 'node:util';
import { VERDICTS, type Outcome, type Verdict } from '../findings/Finding.ts';
import { leftText } from '../http/Ledger.ts';
import { hasAccess, summarize, type Headline, type Report } from './Report.ts';

/** What a terminal can show. */
export interface Terminal {
  /** Columns. */
  width: number;
  colors: boolean;
}

type Line = Outcome & { title: string };

const COLORS = { works: 'green', differs: 'yellow', fails: 'red', unknown: 'gray' } as const;
const NARROWEST = 50;
const WIDEST = 110;
const LEFT = 'The probe created these, or may have. Find them in the app and delete them.';

/** The report for a terminal. Jobs that don't work are shown with their requests, to help find the cause. */
export function terminalReport(report: Report, terminal: Terminal, verbose = false): string {
  const { findings, leftBehind } = report;
  const paint = painter(terminal);
  const isKnown = (verdict: Verdict) => verdict !== 'unknown' || hasAccess(findings);
  const shown = findings.filter(({ isAsked, verdict }) => isAsked && isKnown(verdict));
  const width = Math.max(...shown.map(({ title }) => title.length));
  const blocks = [...new Set(shown.map(({ area }) => area))].map((area) => [
    paint('bold', area),
    ...shown
      .filter((finding) => finding.area === area)
      .flatMap((finding) => [
        ...lines(finding, width, terminal),
        ...(finding.verdict === 'works' && !verbose ? [] : finding.requests).map((request) =>
          paint('gray', `      ${request}`),
        ),
      ]),
  ]);
  const open = findings.filter(({ isAsked }) => !isAsked);
  for (const why of new Set(open.map(({ explanation = '' }) => explanation))) {
    const titles = open.filter(({ explanation }) => explanation === why).map(({ title }) => title);
    blocks.push(wrap(`? ${why} Not checked: ${titles.join(', ')}.`, '', terminal));
  }
  if (leftBehind.length > 0)
    blocks.push([
      paint('bold', 'Left behind'),
      ...wrap(LEFT, '  ', terminal),
      ...leftBehind.map((left) => `  - ${leftText(left)}`),
    ]);
  const head = [paint('bold', `Probe of ${report.host}`), paint('gray', circumstances(report))];
  return join([head, ...blocks, headlineOf(summarize(report), terminal)]);
}

/** What was found in a captured delivery, for a terminal. */
export function terminalReplay(steps: readonly Line[], headline: Headline, terminal: Terminal): string {
  const width = Math.max(...steps.map(({ title }) => title.length));
  return join([steps.flatMap((step) => lines(step, width, terminal)), headlineOf(headline, terminal)]);
}

const join = (blocks: readonly (readonly string[])[]) =>
  blocks.map((block) => `${block.join('\n')}\n`).join('\n');

function headlineOf({ verdict, headline }: Headline, terminal: Terminal): string[] {
  const text = wrap(`${VERDICTS[verdict].sign} ${headline}`, '', terminal);
  return text.map((line) => painter(terminal)(COLORS[verdict], line));
}

function lines(
  { title, verdict, value, explanation = '' }: Line,
  width: number,
  terminal: Terminal,
): string[] {
  const { sign, word } = VERDICTS[verdict];
  const [first = '', ...rest] = wrap(`${title.padEnd(width)}  ${value ?? word}`, '    ', terminal);
  const mark = painter(terminal)(COLORS[verdict], sign);
  return [`  ${mark} ${first.trim()}`, ...rest, ...wrap(explanation, '      ', terminal)];
}

/** When a report was made and how: `2026-11-22 20:41 UTC, 41 s, 63 requests, read-only`. */
function circumstances({ startedAt, durationMs, requests, wrote }: Report): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000));
  const noun = requests === 1 ? 'request' : 'requests';
  const how = wrote ? 'with --write' : 'read-only';
  return `${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${seconds} s, ${requests} ${noun}, ${how}`;
}

function painter({ colors }: Terminal): (style: Parameters<typeof styleText>[0], text: string) => string {
  return (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
}

/** Breaks a text between words, so that it fits, and indents each line. */
function wrap(text: string, indent: string, { width }: Terminal): string[] {
  const room = Math.min(Math.max(width, NARROWEST), WIDEST) - indent.length;
  const wrapped: string[] = [];
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    const longer = `${wrapped.at(-1) ?? ''}${word}`;
    if (wrapped.length > 0 && longer.trimEnd().length <= room) wrapped.splice(-1, 1, longer);
    else wrapped.push(word);
  }
  return wrapped.map((line) => indent + line.trimEnd()).filter((line) => line.trim() !== '');
}
