/** Output of a program in a terminal. */
export interface OutputEvent {
  /** Milliseconds since the start. */
  at: number;
  text: string;
}

/** What the terminal shows from a moment on. */
export interface Frame {
  /** Milliseconds since the start. */
  at: number;
  /** Without spaces at the ends of rows, and without empty rows at the end. */
  rows: string[];
}

const ESC = '\u001b';
/** A control sequence, a line break, a carriage return, or text without any of them. */
const TOKENS = new RegExp(`${ESC}\\[([?\\d;]*)([A-Za-z])|\\r?\\n|\\r|[^${ESC}\\r\\n]+`, 'gu');
const SPLIT_SEQUENCE = new RegExp(`(?:${ESC}(?:\\[[?\\d;]*)?|\\r)$`);

/**
 * Plays a program's output: one frame for each change, line by line. A line longer than the columns is wrapped.
 * @throws Error for a control sequence that it doesn't know
 */
export function toFrames(events: readonly OutputEvent[], columns: number): Frame[] {
  const frames: Frame[] = [];
  const screen = new Screen(columns);
  const show = (at: number) => {
    const rows = wrap(screen.lines.map(removeMachine), columns);
    if (rows.join('\n') !== frames.at(-1)?.rows.join('\n')) frames.push({ at, rows });
  };
  for (const { at, text } of joinSplitSequences(events)) {
    for (const [token, parameters = '', command] of text.matchAll(TOKENS)) {
      if (command !== undefined) screen.control(command, parameters);
      else if (token === '\r') screen.column = 0;
      else if (token.endsWith('\n')) {
        show(at);
        screen.breakLine();
      } else screen.write(token);
    }
    show(at);
  }
  return frames;
}

/** Shortest and longest time of a frame, in milliseconds. */
export interface Pace {
  /** For a frame that only redraws the last line, such as a progress bar. */
  redraw: number;
  /** For a frame that adds a line. */
  line: number;
  longest: number;
}

/** Shortens long waits, and gives each line the time to be read. */
export function pace(frames: readonly Frame[], { redraw, line, longest }: Pace): Frame[] {
  let now = 0;
  return frames.map((frame, index) => {
    const next = frames[index + 1];
    const paced = { ...frame, at: now };
    if (next !== undefined) {
      const shortest = next.rows.length > frame.rows.length ? line : redraw;
      now += Math.min(Math.max(next.at - frame.at, shortest), longest);
    }
    return paced;
  });
}

/** Replaces what differs from machine to machine: the emulator's port and process ID, and absolute paths. */
export function removeMachine(line: string): string {
  return line
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '4010')
    .replaceAll(/(?<=\(process )\d+/g, '1234')
    .replaceAll(/(?<![\w.:/])\/(?:[\w.@-]+\/)+/g, '…/');
}

/** A control sequence may be split between two events. */
function joinSplitSequences(events: readonly OutputEvent[]): OutputEvent[] {
  let rest = '';
  return events.map(({ at, text }) => {
    const whole = rest + text;
    rest = SPLIT_SEQUENCE.exec(whole)?.[0] ?? '';
    return { at, text: whole.slice(0, whole.length - rest.length) };
  });
}

function wrap(lines: readonly string[], columns: number): string[] {
  const rows = lines.flatMap((line) => {
    const characters = Array.from(line.trimEnd());
    const count = Math.max(1, Math.ceil(characters.length / columns));
    return Array.from({ length: count }, (_, index) =>
      characters
        .slice(index * columns, (index + 1) * columns)
        .join('')
        .trimEnd(),
    );
  });
  while (rows.at(-1) === '') rows.pop();
  return rows;
}

/** The lines that a terminal holds, with the control sequences of npm and cli-progress. */
class Screen {
  column = 0;
  private readonly columns: number;
  private readonly cells: string[][] = [[]];
  private row = 0;
  private wraps = true;

  constructor(columns: number) {
    this.columns = columns;
  }

  get lines(): string[] {
    return this.cells.map((line) => line.join(''));
  }

  write(text: string): void {
    for (const character of text) {
      // Progress bars turn wrapping off: the rest of a long line isn't shown.
      if (!this.wraps && this.column >= this.columns) return;
      while (this.line.length < this.column) this.line.push(' ');
      this.line[this.column] = character;
      this.column += 1;
    }
  }

  breakLine(): void {
    this.row += 1;
    this.column = 0;
    this.cells[this.row] ??= [];
  }

  control(command: string, parameters: string): void {
    const number = Number.parseInt(parameters, 10);
    switch (command) {
      case 'A':
        this.row = Math.max(0, this.row - (number || 1));
        return;
      case 'G':
        this.column = (number || 1) - 1;
        return;
      case 'J':
        this.cells.length = this.row + 1;
        this.line.length = Math.min(this.line.length, this.column);
        return;
      case 'K':
        this.line.length = number === 2 ? 0 : Math.min(this.line.length, this.column);
        return;
      case 'h':
      case 'l':
        if (parameters === '?7') this.wraps = command === 'h';
        return;
      case 'm':
        return;
      default:
        throw new Error(`The terminal's control sequence ${parameters}${command} isn't supported.`);
    }
  }

  private get line(): string[] {
    return (this.cells[this.row] ??= []);
  }
}
