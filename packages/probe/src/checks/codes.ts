import { Buffer, isUtf8 } from 'node:buffer';
import type { QrCode } from '@qr-service/core';
import { normalize, readTime, showText } from '@qr-service/core/connector';
import type { Exchange } from '../http/Exchange.ts';
import { isFieldName, showName } from '../http/redact.ts';
import { codePath, waitUntil } from './changes.ts';
import { isObject } from './listForm.ts';
import { CheckEnded, type Probe } from './Probe.ts';

/** Fields of a code that the connector reads. */
const READ_FIELDS = ['name', 'status', 'updatedAt', 'publicUrl'] as const;

/** Looks at single codes. */
export async function checkCodes(probe: Probe): Promise<void> {
  const [code] = [...probe.known.written.slice(-1), ...probe.known.codes];
  if (code === undefined) throw new CheckEnded(`The workspace has no codes. ${probe.rerun('with a code')}`);
  const isOwn = probe.known.written.includes(code);
  // A new code may be missing for a moment.
  const exchange = await waitUntil(
    probe,
    () => probe.get(codePath(code.id)),
    ({ status }) => status !== 404 || !isOwn,
  );
  if (!isOwn && (exchange.status === 404 || exchange.status === 410))
    throw new CheckEnded('The code was deleted meanwhile. Run the probe again.');
  await checkRecord(probe, exchange, code.id);
}

/** Reads a response with one code, and answers what is known from it. */
async function checkRecord(probe: Probe, exchange: Exchange, id?: string): Promise<void> {
  await probe.requireSuccess('codes.record', exchange);
  const { result: code, error } = await probe.read([exchange], (client) => client.qr.get('any'));
  if (code === undefined) probe.fail('codes.record', error, exchange);
  if (id !== undefined && code.id !== id)
    throw new CheckEnded('The response contained a code with another ID than the requested one.');
  const wrapper = wrapperOf(exchange.json, code.id);
  if (wrapper === undefined || isFieldName(wrapper)) probe.wireShape.record = wrapper ?? 'flat';
  probe.answer('codes.record', {
    verdict: 'works',
    value: wrapper === undefined ? 'the code itself' : `inside ${showName(wrapper)}`,
    from: [exchange],
  });
  const own = probe.known.written.find((written) => written.id === code.id);
  if (own?.name !== undefined) checkName(probe, exchange, code, own.name);
  const unreadable = probe.connection.exchanges.find(
    ({ request, status, bytes }) => request.isImage !== true && status < 300 && !isUtf8(Buffer.from(bytes)),
  );
  // A date alone is the same for all changes of a day.
  const hasTime = readTime(code.updatedAt) !== undefined && !/^\d{4}-\d\d-\d\d$/.test(code.updatedAt);
  const isReadable = (field: (typeof READ_FIELDS)[number]) =>
    field === 'updatedAt' ? hasTime : typeof code[field] === 'string';
  const missing = READ_FIELDS.filter((field) => !isReadable(field));
  probe.lacks(...missing);
  if (unreadable !== undefined) {
    probe.answer('codes.fields', {
      verdict: 'fails',
      value: 'not UTF-8',
      explanation: "Responses aren't UTF-8, so letters like ë can't be read in names and other texts.",
      from: [unreadable],
    });
    return;
  }
  probe.answer('codes.fields', {
    verdict: missing.length === 0 ? 'works' : hasTime ? 'differs' : 'fails',
    value: missing.length === 0 ? 'all' : `without a readable ${missing.join(', ')}`,
    explanation:
      missing.length === 0
        ? undefined
        : hasTime
          ? 'Steps that map these fields get nothing.'
          : 'Polling triggers recognize changes by updatedAt, so they would miss them.',
    from: [exchange],
  });
}

/** Whether a new code has the name that was sent: Create or Update finds codes by it. */
export function checkName(probe: Probe, exchange: Exchange, code: Partial<QrCode>, sent: string): void {
  if (code.name === undefined || probe.answerTo('codes.name')?.verdict === 'fails') return;
  const isKept = normalize(code.name) === normalize(sent);
  if (code.name === sent.toUpperCase()) probe.wireShape.createdName = 'upper case';
  else if (!isKept) probe.wireShape.createdName = 'suffixed';
  probe.answer('codes.name', {
    verdict: isKept ? 'works' : 'fails',
    value: isKept ? 'as sent' : 'altered',
    explanation: isKept
      ? undefined
      : `The code is created, but named "${showText(code.name, 120)}" instead of "${showText(sent, 120)}". Create or Update doesn't find it by its name.`,
    from: [exchange],
  });
}

/** Name of the object around a code; undefined if there is none. */
export function wrapperOf(json: unknown, id: string): string | undefined {
  if (!isObject(json) || Object.hasOwn(json, 'id')) return undefined;
  return Object.keys(json).find((key) => isObject(json[key]) && String(json[key]['id']) === id);
}
