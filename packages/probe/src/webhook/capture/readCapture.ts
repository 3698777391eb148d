import { Buffer } from 'node:buffer';
import type { Delivery } from '../Delivery.ts';
import { CaptureError, type Capture } from './Capture.ts';
import { FORMATS } from './formats.ts';
import { parseJson } from './json.ts';

const EXPECTED =
  'Expected JSON with "headers" and "body", a curl command, or the request as text: headers, an empty line, the body.';

/**
 * Reads a captured delivery, as tunnels, request bins, proxies and automation tools export it. From several requests it
 * takes the first that has a signature.
 * @throws CaptureError
 */
export function readCapture(file: Uint8Array): Delivery {
  const bytes = asUtf8(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  if (bytes.length === 0) throw new CaptureError(`The file is empty. ${EXPECTED}`);
  const latin1 = bytes.toString('latin1');
  const json = parseJson(bytes.toString('utf8'));
  const format = FORMATS.find(({ matches }) =>
    matches instanceof RegExp ? matches.test(latin1) : json !== undefined && matches(Object(json) as object),
  );
  if (format === undefined) throw new CaptureError(`It is neither JSON nor a request as text. ${EXPECTED}`);
  return select(withoutRepeats(format.read({ bytes, latin1, json })), format.hint ?? EXPECTED);
}

/** PowerShell writes what a command prints in UTF-16. */
function asUtf8(bytes: Buffer): Buffer {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(bytes.subarray(2).toString('utf16le'));
  return bytes.subarray(0, 3).equals(Buffer.from('\uFEFF')) ? bytes.subarray(3) : bytes;
}

/** A workflow hands the same request from node to node. */
const withoutRepeats = (captures: readonly Capture[]): Capture[] => [
  ...new Map(
    captures.map((one) => [
      JSON.stringify([one.headers, Buffer.from(one.body ?? '').toString('latin1')]),
      one,
    ]),
  ).values(),
];

function select(found: readonly Capture[], hint: string): Delivery {
  const captures = found.filter(({ headers }) => headers.length > 0);
  const signed = captures.filter(({ headers }) => headers.some(([name]) => /signature/i.test(name)));
  const [capture = captures[0]] = signed;
  if (capture === undefined) throw new CaptureError(`It has no headers. ${hint}`);
  if (signed.length === 0 && captures.length > 1)
    throw new CaptureError(
      `It has ${captures.length} requests, none with a signature header. Export one with all its headers.`,
    );
  const { body, ...rest } = capture;
  if (body === undefined) throw new CaptureError(`It has no body. ${hint}`);
  return { ...rest, body, ...(signed.length > 1 && { others: signed.length - 1 }) };
}
