import { Buffer } from 'node:buffer';
import { CaptureError, type Capture, type CaptureFile } from './Capture.ts';
import { readHeaderLines } from './request.ts';

/** Reads curl commands, as browsers and request bins copy them for bash. */
export function readCurl({ latin1 }: Pick<CaptureFile, 'latin1'>): Capture[] {
  const words = bashWords(latin1);
  const starts = words.flatMap((word, at) => (/^curl(?:\.exe)?$/.test(word) ? [at] : []));
  return starts.map((start, at) => readCommand(words.slice(start + 1, starts[at + 1])));
}

/** A line of a request that `curl -v` printed. */
export const SENT_LINE = /^> [A-Z]+ \S+ HTTP\/[\d.]+[ \t]*\r?$/m;

/** Reads what `curl -v` printed. Its body is only in the command. */
export function readVerboseCurl({ latin1 }: Pick<CaptureFile, 'latin1'>): Capture[] {
  const [command = '', ...requests] = latin1.split(SENT_LINE);
  const sent = readCurl({ latin1: command });
  return requests.map((request, at) => {
    const lines = request.split(/\r?\n/).slice(1);
    const end = lines.findIndex((line) => !/^> ?\S/.test(line));
    const head = lines.slice(0, end === -1 ? undefined : end);
    return { ...sent[at], headers: readHeaderLines(head.map((line) => line.replace(/^> ?/, ''))) };
  });
}

/** Options of curl with a value, by their letter. */
const WITH_VALUE = 'AbcCdDeEFhHKmoPQrtTuUwxXyYz';

/** Reads the words after `curl`. Options that say nothing about headers and body are skipped. */
function readCommand(words: readonly string[]): Capture {
  const lines: string[] = [];
  const data: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [, letter = '', attached] =
      new RegExp(`^-(?!-)[^${WITH_VALUE}]*([${WITH_VALUE}])([^]+)?$`).exec(word) ?? [];
    if (letter === '' && !/^--(?:header|data|json|form)/.test(word)) continue;
    const value = attached ?? words[++at] ?? '';
    if (letter === 'H' || word === '--header') lines.push(value.replace(/^([^:;]+);$/, '$1:'));
    else if (letter === 'F' || /^--(?:form|data-urlencode)/.test(word))
      throw new CaptureError('The curl command encodes its body as a form. Copy one with --data-raw.');
    else if (letter === 'd' || /^--(?:data|json)/.test(word)) {
      if (value.startsWith('@') && word !== '--data-raw')
        throw new CaptureError(
          "The curl command takes its body from another file. Put that file's text after --data-raw.",
        );
      data.push(value);
    }
  }
  const headers = readHeaderLines(lines.map((line) => Buffer.from(line, 'latin1').toString()));
  return data.length === 0 ? { headers } : { headers, body: Buffer.from(data.join('&'), 'latin1') };
}

const PIECE =
  /\\\r?\n|\\(?<escaped>[^])|'(?<plain>[^']*)'|\$'(?<ansi>(?:[^'\\]|\\[^])*)'|"(?<quoted>(?:[^"\\]|\\[^])*)"|(?<space>\s+)|(?<other>[^])/g;

/** The words of commands for bash. Variables stay as they are written. */
function bashWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { groups = {} } of `${text}\n`.matchAll(PIECE)) {
    const { escaped, plain, ansi, quoted, space, other } = groups;
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      const double = quoted?.replaceAll(/\\(?:\r?\n|([\\"$`]))/g, '$1');
      const part =
        escaped ?? plain ?? (ansi === undefined ? undefined : unescapeAnsi(ansi)) ?? double ?? other;
      if (part !== undefined) word = (word ?? '') + part;
    }
  }
  return words;
}

/** The bytes of `$'…'`, one character each. */
const unescapeAnsi = (text: string): string =>
  text.replaceAll(/(?:\\u[\da-f]{4})+|\\x([\da-f]{2})|\\([^])/gi, (units, hex?: string, letter?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (letter !== undefined)
      return { n: '\n', r: '\r', t: '\t' }[letter] ?? (/[\\'"?]/.test(letter) ? letter : units);
    return Buffer.from(String(JSON.parse(`"${units.toLowerCase()}"`))).toString('latin1');
  });
