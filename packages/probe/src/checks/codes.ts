import { readTime } from '@qr-service/core/connector';
import type { Exchange } from '../http/Exchange.ts';
import { isFieldName, showName } from '../http/redact.ts';
import { codePath } from './changes.ts';
import { isObject } from './listForm.ts';
import { CheckEnded, type Probe } from './Probe.ts';

/** Fields of a code that the connector reads. */
const READ_FIELDS = ['name', 'status', 'updatedAt', 'publicUrl'] as const;

/** Looks at single codes. */
export async function checkCodes(probe: Probe): Promise<void> {
  const [code] = [...probe.known.written.slice(-1), ...probe.known.codes];
  if (code === undefined) throw new CheckEnded(`The workspace has no codes. ${probe.rerun('with a code')}`);
  const exchange = await probe.get(codePath(code.id));
  if (exchange.status === 404 || exchange.status === 410)
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
  probe.known.record = wrapper ?? 'flat';
  if (wrapper === undefined || isFieldName(wrapper)) probe.wireShape.record = wrapper ?? 'flat';
  probe.answer('codes.record', {
    verdict: wrapper === undefined ? 'works' : 'differs',
    value: wrapper === undefined ? 'flat' : `inside ${showName(wrapper)}`,
    explanation:
      wrapper === undefined ? undefined : 'The API text shows the code itself. The connector unwraps it.',
    from: [exchange],
  });
  const isReadable = (field: (typeof READ_FIELDS)[number]) =>
    field === 'updatedAt' ? readTime(code[field]) !== undefined : typeof code[field] === 'string';
  const missing = READ_FIELDS.filter((field) => !isReadable(field));
  const hasTime = !missing.includes('updatedAt');
  probe.lacks(...missing);
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

/** Name of the object around a code; undefined if there is none. */
export function wrapperOf(json: unknown, id: string): string | undefined {
  if (!isObject(json) || Object.hasOwn(json, 'id')) return undefined;
  return Object.keys(json).find((key) => isObject(json[key]) && String(json[key]['id']) === id);
}
