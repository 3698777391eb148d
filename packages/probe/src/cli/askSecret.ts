import type { ReadStream } from 'node:tty';
import { UsageError } from './UsageError.ts';

/** Where a secret is typed. */
export type TerminalInput = Pick<
  ReadStream,
  'isTTY' | 'setRawMode' | 'setEncoding' | 'on' | 'once' | 'off' | 'resume' | 'pause'
>;

/** Where to ask. */
interface Prompt {
  stdin: TerminalInput;
  stderr: { write: (text: string) => unknown };
}

/** The user pressed Ctrl-C instead of answering. */
export class AskedToStop extends Error {
  override readonly name = 'AskedToStop';
}

const LONGEST = 4096;

/**
 * Asks for a secret in the terminal, without showing what is typed or pasted.
 * @throws AskedToStop for Ctrl-C
 * @throws UsageError when nothing is entered
 */
export async function askSecret(question: string, { stdin, stderr }: Prompt): Promise<string> {
  // Before the question, so that nothing typed after it can show.
  stdin.setRawMode(true);
  stderr.write(`${question}: `);
  try {
    const answer = (await readLine(stdin)).trim();
    if (answer === '') throw new UsageError('Nothing was entered.');
    return answer;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

function readLine(stdin: TerminalInput): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const settle = (finish: () => void) => {
      stdin.off('data', take);
      stdin.off('end', end);
      finish();
    };
    const end = () => settle(() => resolve(answer));
    const take = (chunk: Buffer | string) => {
      // Terminals mark pasted text.
      const typed = String(chunk).replaceAll('\x1B[200~', '').replaceAll('\x1B[201~', '');
      for (const character of typed) {
        if (character === '\r' || character === '\n' || character === '\x04') {
          end();
          return;
        }
        if (character === '\x03') {
          settle(() => reject(new AskedToStop()));
          return;
        }
        if (character === '\x7F' || character === '\b') answer = answer.slice(0, -1);
        else if (character === '\x15') answer = '';
        else if (answer.length < LONGEST) answer += character;
      }
    };
    stdin.setEncoding('utf8');
    stdin.on('data', take);
    stdin.once('end', end);
    stdin.resume();
  });
}
