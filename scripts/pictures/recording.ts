import { escapeXml, round } from './svg.ts';

/** A line that a program printed. */
export interface Line {
  /** Milliseconds since the start. */
  at: number;
  text: string;
}

const COLUMNS = 100;
const CHARACTER_WIDTH = 8.4;
const ROW_HEIGHT = 20;
const PADDING = 20;
/** Shortest and longest wait before a line, in milliseconds. */
const SHORTEST_MS = 750;
const LONGEST_MS = 2000;

/** Shortens long waits, and gives each line the time to be read. */
export function pace(lines: readonly Line[]): Line[] {
  let now = 0;
  return lines.map((line, index) => {
    const waited = line.at - (lines[index - 1]?.at ?? line.at);
    if (index > 0 && line.text !== '') now += Math.min(Math.max(waited, SHORTEST_MS), LONGEST_MS);
    return { ...line, at: now };
  });
}

/** Replaces what differs from machine to machine: the emulator's port and process ID, and absolute paths. */
export function removeMachine(line: string): string {
  return line
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '4010')
    .replaceAll(/(?<=\(process )\d+/g, '1234')
    .replaceAll(/(?<![\w.:/])\/(?:[\w.@-]+\/)+/g, '…/');
}

/**
 * Draws lines as an SVG in which they appear one after another. It needs no script and no font from elsewhere, so that it
 * plays as an image on GitHub. For readers who prefer reduced motion, it shows all lines.
 * @param title what a screen reader says
 */
export function recordingSvg(lines: readonly Line[], title: string): string {
  const width = Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * PADDING);
  const height = lines.length * ROW_HEIGHT + 2 * PADDING;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">
<title>${escapeXml(title)}</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; fill: #e6edf3; white-space: pre; visibility: hidden; animation: show 1ms forwards }
.done { fill: #3fb950 }
@keyframes show { to { visibility: visible } }
@media (prefers-reduced-motion: reduce) { text { animation: none !important; visibility: visible } }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${lines.flatMap(({ at, text }, row) => (text === '' ? [] : [drawRow(text, row, at)])).join('\n')}
</svg>
`;
}

function drawRow(text: string, row: number, at: number): string {
  const trimmed = text.trimStart();
  const x = round(PADDING + (text.length - trimmed.length) * CHARACTER_WIDTH);
  const y = PADDING + row * ROW_HEIGHT + 15;
  // Whatever the font, columns stay aligned.
  const length = round(Array.from(trimmed).length * CHARACTER_WIDTH);
  const colored = escapeXml(trimmed).replace(/^[✓$]/u, '<tspan class="done">$&</tspan>');
  return `<text x="${x}" y="${y}" textLength="${length}" style="animation-delay:${round(at / 1000)}s">${colored}</text>`;
}
