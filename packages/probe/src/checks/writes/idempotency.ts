import type { QrCode } from '@qr-service/core';
import { replayMark } from '@qr-service/core/connector';
import { isSuccess, type Exchange } from '../../http/Exchange.ts';
import { showName } from '../../http/redact.ts';
import type { Probe } from '../Probe.ts';
import { create, inputOf, readCode } from './create.ts';

/** The first code that the probe created. */
interface FirstCode {
  key: string;
  body: object;
  created: Exchange;
  code: QrCode;
}

/** Sends the first creation again. */
export async function checkReplay(probe: Probe, { key, body, created, code }: FirstCode): Promise<void> {
  const again = await create(probe, body, key);
  const { result: second, error } = await readCode(probe, again);
  const from = [created, again];
  const fails = (value: string, explanation: string) =>
    probe.answer('idempotency.replay', { verdict: 'fails', value, explanation, from });
  if (second === undefined) {
    if ((await probe.failureOf(again))?.code === 'idempotency_conflict')
      probe.wireShape.idempotency = 'refused';
    fails(
      `status ${again.status}`,
      `A retry of a request that succeeded must return its response. ${probe.explain(error)}`,
    );
    return;
  }
  if (second.id !== code.id) {
    probe.wireShape.idempotency = 'ignored';
    fails(
      'ignored',
      "The same request with the same key created a second code. If a response is lost, the connector's retry creates a duplicate.",
    );
    return;
  }
  probe.wireShape.idempotency ??= 'replayed';
  const mark = replayMark(again.headers);
  if (mark === undefined) probe.lacks('Idempotency-Replayed');
  probe.answer('idempotency.replay', {
    verdict: 'works',
    value: mark === undefined ? 'replayed, without a mark' : `replayed, with ${mark}`,
    from,
  });
}

/** Sends other input with the key of the first creation. */
export async function checkConflict(probe: Probe, key: string): Promise<void> {
  if (probe.wireShape.idempotency === 'ignored') {
    probe.answer('idempotency.conflict', {
      verdict: 'fails',
      value: 'ignored',
      explanation: 'The service ignores Idempotency-Key.',
    });
    return;
  }
  const exchange = await create(probe, inputOf(probe, '4'), key);
  const error = await probe.failureOf(exchange);
  const differs = (value: string, explanation: string) =>
    probe.answer('idempotency.conflict', { verdict: 'differs', value, explanation, from: [exchange] });
  if (error?.code === 'idempotency_conflict') {
    const value = 'refused with idempotency_conflict';
    probe.answer('idempotency.conflict', { verdict: 'works', value, from: [exchange] });
  } else if (isSuccess(exchange)) {
    const { result: code } = await readCode(probe, exchange);
    const isReplay = code !== undefined && probe.known.written.some(({ id }) => id === code.id);
    differs(
      isReplay ? 'the first response is replayed' : 'a code is created',
      `A Deduplication Key that is used for two different inputs ${isReplay ? 'returns the first code, without an error' : 'creates both codes'}.`,
    );
  } else {
    probe.noteError('idempotency_conflict', exchange);
    differs(
      error === undefined ? `status ${exchange.status}` : showName(error.code),
      'The API text names the code idempotency_conflict. The connector shows this error as it is.',
    );
  }
}
