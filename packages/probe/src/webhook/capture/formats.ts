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

/** The forms of files, in the order in which they are recognized. */
export const FORMATS: readonly Format[] = [
  {
    matches: /^(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\n\r\r\n)/,
    read: instead(
      'a packet capture. In Wireshark, follow the HTTP stream, and save the request as raw data.',
    ),
  },
  { matches: /^(?:\p{Cc}\x8b\p{Cc}|PK\p{Cc}{2})/u, read: instead('a compressed file. Unpack it first.') },
  {
    matches: /^\d{1,7}:\d{1,3}:[a-z_]+;/,
    read: instead('a file of mitmproxy. Convert it: mitmdump -nr FILE --set hardump=delivery.har'),
  },
  {
    matches: (json) => '__export_format' in json || ('info' in json && 'item' in json),
    read: instead('a collection of requests to send. Export one as a curl command instead.'),
  },
  {
    matches: (json) => 'nodes' in json && 'connections' in json,
    read: instead("n8n's workflow. Copy the output of its Webhook node from an execution instead."),
  },
  {
    matches: (json) => 'workflowData' in json && 'data' in json && typeof json.data === 'string',
    read: instead("n8n's internal form of an execution. Copy the output of its Webhook node instead."),
  },
  { matches: () => true, read: readJson },
  { matches: /^\s*</, read: instead(`HTML or XML. ${AS_TEXT}`) },
  { matches: /^=> Send header/m, read: instead("curl's trace. Save the curl command instead.") },
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
    matches: /^\s*(?:(?:await )?fetch\(|(?:\$\w+ ?= ?)?(?:Invoke-|New-Object)|(?:wget|https?|xh) )/,
    read: instead('a command of another tool. Choose “Copy as cURL (bash)” instead.'),
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
