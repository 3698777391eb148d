import { Buffer } from 'node:buffer';
import { contentLength } from '../Delivery.ts';
import { CaptureError, type Capture, type CaptureFile } from './Capture.ts';
import { readHeaderLines } from './request.ts';

/** The line of a request: the client, the method, the URL. */
export const FLOW_LINE = /^(?:\[[^\]\n]*\] ?)?\S+:\d+: [A-Z]+ https?:\/\/\S+(?: HTTP\/\S+)?\r?$/m;

/** Reads what mitmdump printed: a line, then headers, an empty line and the body, each line indented by four spaces. */
export const readMitmdump = ({ latin1 }: Pick<CaptureFile, 'latin1'>): Capture[] =>
  latin1.split(new RegExp(FLOW_LINE, 'gm')).slice(1).map(readFlow);

function readFlow(flow: string): Capture {
  const [, ...all] = flow.replaceAll('\r', '').split('\n');
  const stop = all.findIndex((line) => !/^(?: {4}|$)/.test(line) || /^ *<< (?:HTTP\S+ )?\d{3} /.test(line));
  const lines = all.slice(0, stop === -1 ? undefined : stop).map((line) => line.slice(4));
  const end = lines.indexOf('');
  const headers = readHeaderLines(lines.slice(0, end === -1 ? undefined : end));
  const text = lines
    .slice(end + 1)
    .join('\n')
    .trimEnd();
  if (text.endsWith('\n(cut off)'))
    throw new CaptureError('mitmdump has cut off the body. Run it with --flow-detail 4.');
  if (end === -1 || text === '') return { headers };
  const body = Buffer.from(text, 'latin1');
  // It trims texts, breaks lines in its own way and indents JSON.
  if (contentLength({ headers }) === body.length) return { headers, body };
  const rebuilt = 'mitmdump shows the body in its own form, so its original bytes are unknown.';
  return { headers, body, rebuilt };
}
