import { showText } from '@qr-service/core/connector';

/** Where progress is shown. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write: (text: string) => unknown;
}

const CLEAR = '\r\x1B[K';
/** Longest sentence, in characters. */
const LONGEST = 1000;

/** Shows what is happening: on a terminal one line that is replaced, elsewhere a line for each step. */
export class Progress {
  readonly #stream: ProgressStream;
  #current = '';

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  /** A step: its sentence, and how much is done. */
  step(sentence: string, done?: { count: number; of: number }): void {
    const text = showText(done === undefined ? sentence : `${bar(done)} ${sentence}`, LONGEST);
    if (this.#stream.isTTY === true) {
      const room = (this.#stream.columns || 80) - 1;
      this.#stream.write(CLEAR + (text.length > room ? `${text.slice(0, room - 1)}…` : text));
    } else if (withoutNumbers(sentence) !== withoutNumbers(this.#current))
      this.#stream.write(`${showText(sentence, LONGEST)}\n`);
    this.#current = sentence;
  }

  /** A sentence that stays. */
  say(sentence: string): void {
    this.clear();
    this.#stream.write(`${sentence}\n`);
  }

  /** Removes the current step from a terminal. */
  clear(): void {
    if (this.#stream.isTTY === true && this.#current !== '') this.#stream.write(CLEAR);
    this.#current = '';
  }
}

/** A countdown isn't a new step. */
const withoutNumbers = (sentence: string) => sentence.replaceAll(/\d+/g, '');

const BAR = 20;

function bar({ count, of }: { count: number; of: number }): string {
  const filled = of <= 0 ? 0 : Math.min(BAR, Math.round((BAR * count) / of));
  return `[${'#'.repeat(filled)}${' '.repeat(BAR - filled)}]`;
}
