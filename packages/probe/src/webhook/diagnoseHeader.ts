import { duration, showText, type HeaderNames } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import { valuesOf, type Delivery } from './Delivery.ts';
import { finding, isMatch, isReadable, judge, type DiagnosisInput } from './judge.ts';
import { findScheme } from './schemes.ts';
import { describeSignatureHeader, signatureRepairs } from './signatureHeader.ts';

/** Header names that are listed if the signature is missing. */
const MOST_NAMES = 12;

/** The prefix of the delivery's own headers, which may not be the one in the settings. */
export function findPrefix(delivery: Delivery, expected: string): { value: string; findings: Finding[] } {
  const found = new Map<string, string>();
  for (const [name] of delivery.headers) {
    const [, prefix] = /^(?:http-)?x-(.{1,60})-signature(?:-v0)?$/i.exec(name) ?? [];
    if (prefix !== undefined && !found.has(prefix.toLowerCase())) found.set(prefix.toLowerCase(), prefix);
  }
  if (found.size === 0 || found.has(expected.toLowerCase())) return { value: expected, findings: [] };
  const [value = expected] = found.values();
  const shown = showText(value);
  const explanation = `Its headers begin with X-${shown}-, not X-${expected}-. Set Header Prefix to ${shown} in n8n and Zapier, and --header-prefix ${shown} here.`;
  return {
    value,
    findings: [finding('prefix', 'Prefix of the headers', 'fails', { value: shown, explanation })],
  };
}

const TITLE = 'Signature header';

/** The signature header, as it should be. */
export function findSignature(
  input: DiagnosisInput,
  names: HeaderNames,
): { header?: string; findings: Finding[] } {
  const { delivery, secret } = input;
  const values = valuesOf(delivery, names.signature);
  if (values.length === 0) return renamedSignature(input, names);
  // As Node.js and most proxies join them.
  const joined = values.join(', ');
  if (isReadable(joined)) return { header: joined, findings: [] };
  const readable = [...signatureRepairs(values)].filter(({ header }) => isReadable(header));
  // One that matches, as a header that was sent twice may have two different values.
  const repair = readable.find(({ header }) => isMatch(judge(header, delivery.body, secret))) ?? readable[0];
  if (repair !== undefined) {
    const at = values.length > 1 ? '' : ` ${headerDifference(joined, repair.header)}`;
    const explanation = `${names.signature} can't be read. ${repair.change}${at} The rest of this report uses it as it should be.`;
    return { header: repair.header, findings: [unusable('changed', explanation)] };
  }
  const form = `${names.signature} isn't in the form t=<seconds>,v1=<64 hex digits>. ${describeSignatureHeader(values[0] ?? '')}`;
  const scheme = values.map((value) => findScheme(input, names, value)).find((found) => found !== undefined);
  return { findings: [unusable(scheme === undefined ? 'unreadable' : 'other scheme', form, scheme)] };
}

const unusable = (value: string, ...explanation: (string | undefined)[]): Finding =>
  finding('signature-header', TITLE, 'fails', {
    value,
    explanation: explanation.filter((sentence) => sentence !== undefined).join(' '),
  });

/** Where a header departs from its readable form, without its digits, as they aren't needed. */
function headerDifference(received: string, repaired: string): string {
  let at = 0;
  while (at < received.length && received[at] === repaired[at]) at++;
  const there = received[at] === undefined ? 'nothing' : JSON.stringify(received[at]);
  return `At character ${at + 1}, there is ${there}.`;
}

/** A gateway or a framework may have spelled the header as a variable, and services have names of their own. */
function renamedSignature(
  input: DiagnosisInput,
  names: HeaderNames,
): { header?: string; findings: Finding[] } {
  for (const [name, header] of input.delivery.headers) {
    if (!/signature(?!.?v0$)/i.test(name)) continue;
    const called = `${names.signature} is called ${showText(name, 80)}. The connector doesn't find it by that name.`;
    if (isReadable(header)) {
      const more =
        'If the tool that captured the delivery spells names so, nothing is wrong with the delivery itself. The rest of this report uses it as it should be.';
      return { header, findings: [unusable('renamed', called, more)] };
    }
    const scheme = findScheme(input, names, header);
    if (scheme !== undefined) return { findings: [unusable('other scheme', called, scheme)] };
  }
  return { findings: [withoutSignature(input.delivery, names)] };
}

function withoutSignature(delivery: Delivery, names: HeaderNames): Finding {
  const isOldOnly = valuesOf(delivery, names.signatureV0).length > 0;
  const present = delivery.headers.map(([name]) => showText(name, 40)).slice(0, MOST_NAMES);
  const explanation = isOldOnly
    ? `There is only ${names.signatureV0}, which is deprecated and doesn't prevent replays: the connector refuses it.`
    : `There is no ${names.signature} header. A proxy or the tool that captured it may have removed it. Headers found: ${present.join(', ') || 'none'}.`;
  return unusable(isOldOnly ? 'only V0' : 'missing', explanation);
}

/** Compares the timestamp header with the signed time. */
export function checkTimestamp({ delivery }: DiagnosisInput, names: HeaderNames, signed: string): Finding[] {
  const title = 'Timestamp header';
  const values = valuesOf(delivery, names.timestamp).map((value) => value.trim());
  const header = values.find((value) => value !== signed) ?? values[0];
  if (values.length > 1 && header === signed) {
    const explanation = `${names.timestamp} was sent ${values.length} times. The connector gets them as one text, which isn't the signed time, so it refuses the delivery.`;
    return [finding('timestamp-header', title, 'fails', { value: 'sent twice', explanation })];
  }
  if (header === undefined) {
    const explanation = `There is no ${names.timestamp} header. The connector reads the time from ${names.signature}.`;
    return [finding('timestamp-header', title, 'differs', { value: 'missing', explanation })];
  }
  if (header === signed) return [];
  const shown = showText(header, 40);
  const explanation = `${names.timestamp} is ${shown}, but t= in ${names.signature} is ${signed}: ${apart(header, signed)}. Only t= is signed. The connector refuses a delivery whose two times differ.`;
  return [finding('timestamp-header', title, 'fails', { value: 'differs from t=', explanation })];
}

function apart(header: string, signed: string): string {
  const seconds = Number(header) - Number(signed);
  if (header.trim() === '' || !Number.isFinite(seconds)) return "it isn't in seconds";
  if (Math.floor(Number(header) / 1000) === Number(signed)) return 'it is in milliseconds';
  return `it is ${duration(Math.abs(seconds) * 1000)} ${seconds > 0 ? 'later' : 'earlier'}`;
}
