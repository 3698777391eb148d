import { CaptureError, type Capture, type CaptureFile } from './Capture.ts';
import { CSV, readCsv } from './csv.ts';
import { readCurl, readVerboseCurl, SENT_LINE } from './curl.ts';
import { readJson } from './json.ts';
import { FLOW_LINE, readMitmdump } from './mitmdump.ts';
import { HEADERS, readRequest, REQUEST_LINE } from './request.ts';

/** A form of files. */
interface Format {
  /** What its bytes look like, one character each, or its JSON. */
  matches: RegExp | ((json: object) => boolean);
  /** @throws CaptureError */
  read: (file: CaptureFile) => Capture[];
  /** How to get what such a file often lacks, as a whole sentence. */
  hint?: string;
}

/** What can't be read, and what to export instead. */
const instead = (what: string) => (): never => {
  throw new CaptureError(`It is ${what}`);
};
const AS_TEXT = 'Save the request as text instead: headers, an empty line, the body.';

/** Commands of other tools, and of curl for Windows. */
const OTHER_COMMAND =
  /^\s*(?:curl(?:\.exe)?\s(?:[^'"]*\^"|"[^"]*" \^\r?\n)|(?:await )?fetch\(|(?:\$\w+ ?= ?)?(?:Invoke-|New-Object)|(?:wget|https?|xh) )/;

/** The forms of files, in the order in which they are recognized. */
export const FORMATS: readonly Format[] = [
  {
    matches: /^\d{1,7}:\d{1,3}:[a-z_]+;/,
    read: instead('a file of mitmproxy. Convert it: mitmdump -nr FILE --set hardump=delivery.har'),
  },
  {
    matches: (json) =>
      ('nodes' in json && 'connections' in json) ||
      ('workflowData' in json && 'data' in json && typeof json.data === 'string'),
    read: instead("n8n's own form. Copy the output of its Webhook node from an execution instead."),
  },
  { matches: () => true, read: readJson },
  { matches: /^\s*</, read: instead(`HTML or XML. ${AS_TEXT}`) },
  { matches: OTHER_COMMAND, read: instead('another command. Choose “Copy as cURL (bash)” instead.') },
  {
    matches: SENT_LINE,
    read: readVerboseCurl,
    hint: "curl -v doesn't print the body: put the curl command with --data-raw above its output.",
  },
  {
    matches: /^\s*(?:\S*[$>%#] ?)?curl(?:\.exe)?\s/,
    read: readCurl,
    hint: 'Expected a curl command with -H and --data-raw.',
  },
  {
    matches: FLOW_LINE,
    read: readMitmdump,
    hint: 'Run mitmdump with --flow-detail 4, or with --set hardump=delivery.har, which keeps the bytes.',
  },
  ...[REQUEST_LINE, HEADERS].map((matches) => ({
    matches,
    read: ({ bytes }: CaptureFile) => [readRequest(bytes)],
  })),
  { matches: CSV, read: readCsv, hint: 'Expected columns with the headers and the body.' },
  { matches: /\0/, read: instead(`a binary file. ${AS_TEXT}`) },
];
