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
  if (second === undefined) {
    if ((await probe.failureOf(again))?.code === 'idempotency_conflict')
      probe.wireShape.idempotency = 'refused';
    probe.answer('idempotency.replay', {
      verdict: 'fails',
      value: `status ${again.status}`,
      explanation: `A retry of a request that succeeded must return its response. ${probe.explain(error)}`,
      from,
    });
    return;
  }
  if (second.id !== code.id) {
    probe.wireShape.idempotency = 'ignored';
    probe.answer('idempotency.replay', {
      verdict: 'fails',
      value: 'ignored',
      explanation:
        "The same request with the same key created a second code. If a response is lost, the connector's retry creates a duplicate.",
      from,
    });
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
  const exchange = await create(probe, inputOf(probe, 'other input'), key);
  const error = await probe.failureOf(exchange);
  const from = [exchange];
  if (error?.code === 'idempotency_conflict') {
    probe.answer('idempotency.conflict', {
      verdict: 'works',
      value: 'refused with idempotency_conflict',
      from,
    });
    return;
  }
  if (isSuccess(exchange)) {
    const { result: code } = await readCode(probe, exchange);
    const isReplay = code !== undefined && probe.known.written.some(({ id }) => id === code.id);
    probe.answer('idempotency.conflict', {
      verdict: 'differs',
      value: isReplay ? 'the first response is replayed' : 'a code is created',
      explanation: isReplay
        ? 'A Deduplication Key that is used for two different inputs returns the first code, without an error.'
        : 'A Deduplication Key that is used for two different inputs creates both codes.',
      from,
    });
    return;
  }
  probe.noteError('idempotency_conflict', exchange);
  probe.answer('idempotency.conflict', {
    verdict: 'differs',
    value: error === undefined ? `status ${exchange.status}` : showName(error.code),
    explanation: 'The API text names the code idempotency_conflict. The connector shows this error as it is.',
    from,
  });
}
