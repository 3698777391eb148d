import { escapeXml, round } from './svg.ts';
import type { Turn } from './session.ts';

/** What a screen reader says. */
const TITLE =
  'A chat: a person asks for QR codes, the agent calls tools of the MCP server and shows a code, then changes where another one points';

const WIDTH = 880;
const PADDING = 24;
const GAP = 16;
/** Inside boxes. */
const INSET = 16;
const PERSON_WIDTH = 600;
const IMAGE_SIZE = 200;

const TEXT = { size: 15, lineHeight: 22 };
const CODE = { size: 12, lineHeight: 18, characterWidth: 7.2 };
/** Of Helvetica and Arial, on the safe side. */
const AVERAGE_CHARACTER_WIDTH = 7.4;

/** A part of the picture. */
interface Block {
  height: number;
  draw: (y: number) => string;
}

/**
 * Draws a conversation as a chat client shows it, as an SVG with a light and a dark look. It needs no script, no font from
 * elsewhere and no other file.
 */
export function sessionSvg(turns: readonly Turn[]): string {
  let y = PADDING;
  const drawn = turns.map(blockOf).map(({ height, draw }) => {
    const part = draw(y);
    y += height + GAP;
    return part;
  });
  const height = y - GAP + PADDING;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" xml:space="preserve">
<title>${TITLE}</title>
<style>
text { font-size: ${TEXT.size}px; font-family: Helvetica, Arial, 'Liberation Sans', sans-serif; fill: #1f2328 }
.code { font-size: ${CODE.size}px; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; white-space: pre }
.result { fill: #57606a }
.tool { font-weight: bold; fill: #0550ae }
.page { fill: #ffffff; stroke: #d0d7de }
.person { fill: #ddf4ff }
.call { fill: #f6f8fa; stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .result { fill: #9198a1 }
  .tool { fill: #79c0ff }
  .page { fill: #0d1117; stroke: #30363d }
  .person { fill: #1d3a57 }
  .call { fill: #161b22; stroke: #30363d }
}
</style>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="12"/>
${drawn.join('\n')}
</svg>
`;
}

function blockOf(turn: Turn): Block {
  if (turn.who === 'tool') return callBlock(turn);
  if (turn.who === 'person') return personBlock(turn.text);
  const lines = wrap(turn.text, Math.floor((WIDTH - 2 * PADDING) / AVERAGE_CHARACTER_WIDTH));
  return {
    height: lines.length * TEXT.lineHeight,
    draw: (y) => textLines(lines, PADDING, y),
  };
}

function personBlock(text: string): Block {
  const lines = wrap(text, Math.floor((PERSON_WIDTH - 2 * INSET) / AVERAGE_CHARACTER_WIDTH));
  const height = lines.length * TEXT.lineHeight + 2 * INSET - 6;
  const x = WIDTH - PADDING - PERSON_WIDTH;
  return {
    height,
    draw: (y) =>
      `<rect class="person" x="${x}" y="${y}" width="${PERSON_WIDTH}" height="${height}" rx="14"/>\n${textLines(lines, x + INSET, y + INSET - 3)}`,
  };
}

/** The tool's name, its arguments, its result and the image. */
function callBlock({ call, text, image }: Extract<Turn, { who: 'tool' }>): Block {
  const columns = Math.floor((WIDTH - 2 * PADDING - 2 * INSET) / CODE.characterWidth);
  const asked = argumentLines(call.arguments, columns);
  // An ID stays on one line with its name.
  const answered = text
    .replaceAll(' ID ', ' ID\u00a0')
    .split('\n')
    .flatMap((line) => wrap(line, columns, '    '));
  const resultTop = INSET + TEXT.lineHeight + asked.length * CODE.lineHeight + 6;
  const imageTop = resultTop + answered.length * CODE.lineHeight + 10;
  const height = (image === undefined ? imageTop - 10 : imageTop + IMAGE_SIZE) + INSET - 4;
  const x = PADDING + INSET;
  return {
    height,
    draw: (y) =>
      [
        `<rect class="call" x="${PADDING}.5" y="${y}.5" width="${WIDTH - 2 * PADDING - 1}" height="${height - 1}" rx="8"/>`,
        `<text class="tool" x="${x}" y="${y + INSET + 12}">${escapeXml(call.name)}</text>`,
        ...asked.map((line, index) => codeLine(line, x, y + INSET + TEXT.lineHeight, index)),
        ...answered.map((line, index) => codeLine(line, x, y + resultTop, index, 'code result')),
        ...(image === undefined ? [] : [drawSvg(image, x, y + imageTop)]),
      ].join('\n'),
  };
}

function argumentLines(fields: Record<string, unknown>, columns: number): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const rows = Array.isArray(value) ? value.map((row) => `  ${JSON.stringify(row)}`) : [];
    return rows.length > 0
      ? [`${name}:`, ...rows.flatMap((row) => wrap(row, columns))]
      : wrap(`${name}: ${JSON.stringify(value)}`, columns);
  });
}

function textLines(lines: readonly string[], x: number, y: number): string {
  return lines
    .map((line, index) => `<text x="${x}" y="${y + 16 + index * TEXT.lineHeight}">${escapeXml(line)}</text>`)
    .join('\n');
}

/** Whatever the font, lines keep their width. */
function codeLine(line: string, x: number, y: number, index: number, className = 'code'): string {
  const trimmed = line.trimStart();
  const indent = (line.length - trimmed.length) * CODE.characterWidth;
  const length = round(Array.from(trimmed).length * CODE.characterWidth);
  return `<text class="${className}" x="${round(x + indent)}" y="${y + 12 + index * CODE.lineHeight}" textLength="${length}">${escapeXml(trimmed)}</text>`;
}

/** Puts the image's own SVG into the picture: GitHub and npm show no image inside an SVG. */
function drawSvg(image: string, x: number, y: number): string {
  const size = `x="${x}" y="${y}" width="${IMAGE_SIZE}" height="${IMAGE_SIZE}"`;
  const [svg = ''] = /<svg[^]*<\/svg>/.exec(image) ?? [];
  return svg.replace(/^<svg[^>]*>/, (tag) =>
    tag.replace(/ (?:width|height)="[^"]*"/g, '').replace('<svg', `<svg ${size}`),
  );
}

/** Breaks a line at spaces. Further lines are indented by as much as the first, and by `hanging`. */
function wrap(text: string, columns: number, hanging = ''): string[] {
  const trimmed = text.trimStart();
  const indent = text.slice(0, text.length - trimmed.length);
  const [first = '', ...words] = trimmed.split(' ');
  const lines: string[] = [];
  let line = indent + first;
  for (const word of words) {
    if (line.length + 1 + word.length <= columns) line += ` ${word}`;
    else {
      lines.push(line);
      line = indent + hanging + word;
    }
  }
  return [...lines, line];
}
