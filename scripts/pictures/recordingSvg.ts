import type { Frame } from './recording.ts';
import { escapeXml, round } from './svg.ts';

const CHARACTER_WIDTH = 8.4;
const ROW_HEIGHT = 20;
const PADDING = 20;

/** A row's text, and when it is shown, in milliseconds. Without an end, it stays. */
interface ShownRow {
  row: number;
  text: string;
  from: number;
  until: number | undefined;
}

/**
 * Draws frames as an SVG that plays once and then keeps its last frame. It needs no script and no font from elsewhere,
 * so that it plays as an image on GitHub. For readers who prefer reduced motion, it shows the last frame.
 * @param title what a screen reader says
 */
export function recordingSvg(frames: readonly Frame[], columns: number, title: string): string {
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * PADDING);
  const height = Math.max(...frames.map(({ rows }) => rows.length)) * ROW_HEIGHT + 2 * PADDING;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" xml:space="preserve">
<title>${escapeXml(title)}</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; fill: #e6edf3; white-space: pre; visibility: hidden; animation: show 1ms }
.last { animation-fill-mode: forwards }
.done { fill: #3fb950 }
.bar { fill: #58a6ff }
@keyframes show { from, to { visibility: visible } }
@media (prefers-reduced-motion: reduce) { text { animation: none !important } .last { visibility: visible } }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${shownRows(frames).map(drawRow).join('\n')}
</svg>
`;
}

/** Rows that several frames in succession share are drawn once. */
function shownRows(frames: readonly Frame[]): ShownRow[] {
  const shown: ShownRow[] = [];
  const current = new Map<number, ShownRow>();
  for (const { at, rows } of frames) {
    for (const [row, old] of current) {
      if (rows[row] === old.text) continue;
      old.until = at;
      current.delete(row);
    }
    for (const [row, text] of rows.entries()) {
      if (text === '' || current.has(row)) continue;
      const added = { row, text, from: at, until: undefined };
      current.set(row, added);
      shown.push(added);
    }
  }
  return shown;
}

function drawRow({ row, text, from, until }: ShownRow): string {
  const trimmed = text.trimStart();
  const indent = text.length - trimmed.length;
  const x = round(PADDING + indent * CHARACTER_WIDTH);
  const y = PADDING + row * ROW_HEIGHT + 15;
  // Whatever the font, columns stay aligned.
  const length = round(Array.from(trimmed).length * CHARACTER_WIDTH);
  const [className, duration] =
    until === undefined ? [' class="last"', ''] : ['', `;animation-duration:${seconds(until - from)}`];
  return `<text${className} x="${x}" y="${y}" textLength="${length}" style="animation-delay:${seconds(from)}${duration}">${color(escapeXml(trimmed))}</text>`;
}

function color(text: string): string {
  return text
    .replace(/^(?:✓|\$)/u, '<tspan class="done">$&</tspan>')
    .replace(/[█░]+/u, '<tspan class="bar">$&</tspan>');
}

function seconds(ms: number): string {
  return `${round(ms / 1000)}s`;
}
