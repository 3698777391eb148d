import { isApiError } from '@qr-service/core';
import type { FindingId } from '../../findings/catalog.ts';
import { isSuccess, type Exchange } from '../../http/Exchange.ts';
import { showName } from '../../http/redact.ts';
import { TARGETS } from '../changes.ts';
import { wrapperOf } from '../codes.ts';
import type { Probe } from '../Probe.ts';
import { readCode } from './create.ts';

/** Reads the response to publishing or updating the destination. */
export async function checkChange(
  probe: Probe,
  id: Extract<FindingId, 'codes.publish' | 'codes.destination'>,
  exchange: Exchange,
  codeId: string,
): Promise<void> {
  if (!isSuccess(exchange)) {
    const { error } = await probe.read([exchange], (client) => client.me());
    const isExpected =
      isApiError(error) && ['approval_required', 'contrast_check_failed'].includes(error.code);
    if (!isExpected) await probe.requireSuccess(id, exchange);
    probe.repeat(exchange);
    probe.answer(id, { verdict: 'unknown', explanation: probe.explain(error), from: [exchange] });
    return;
  }
  const { error } = await probe.read([exchange], (client) =>
    id === 'codes.publish' ? client.qr.publish(codeId) : client.qr.retarget(codeId, TARGETS[1]),
  );
  if (error !== undefined) probe.fail(id, error, exchange);
  const hasCode = (await readCode(probe, exchange)).result?.id === codeId;
  const { form, value } = changeForm(exchange, hasCode, codeId);
  if (form !== undefined) probe.wireShape.change ??= form;
  probe.answer(id, {
    verdict: 'works',
    value,
    explanation: hasCode ? undefined : 'The connector fetches the code after it.',
    from: [exchange],
  });
}

function changeForm(
  { json, text, status }: Exchange,
  hasCode: boolean,
  id: string,
): { form?: 'summary' | 'empty' | 'ok' | 'wrapped'; value: string } {
  if (text.trim() === '') return { form: 'empty', value: `empty, status ${status}` };
  if (!hasCode) return { form: 'ok', value: 'no code' };
  const wrapper = wrapperOf(json, id);
  const isAlone = wrapper === undefined || Object.keys(json as object).length === 1;
  return isAlone
    ? { form: 'summary', value: wrapper === undefined ? 'the code' : `the code inside ${showName(wrapper)}` }
    : { form: 'wrapped', value: `the code inside ${showName(wrapper)}, next to other fields` };
}
