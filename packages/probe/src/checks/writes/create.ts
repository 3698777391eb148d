import type { QrCode } from '@qr-service/core';
import type { Exchange } from '../../http/Exchange.ts';
import { showName } from '../../http/redact.ts';
import { TARGETS } from '../changes.ts';
import { checkName, wrapperOf } from '../codes.ts';
import type { Probe } from '../Probe.ts';

/** Input for one of the probe's own codes. */
export function inputOf(probe: Probe, name: string) {
  return {
    // Services may allow no more than 50 characters.
    name: `${probe.marker} ${name}, safe to delete ë東`,
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: TARGETS[0] },
  };
}

/** Sends a request that creates a code. */
export function create(probe: Probe, body: object, idempotencyKey: string): Promise<Exchange> {
  return probe.send({ method: 'POST', path: '/qr', body, idempotencyKey });
}

/**
 * Keeps a new code, and answers what its response shows.
 * @throws CheckEnded if the connector can't read it
 */
export async function readCreated(probe: Probe, exchange: Exchange): Promise<QrCode> {
  const read = await readCode(probe, exchange);
  await probe.requireSuccess('codes.create', exchange);
  if (read.result === undefined) probe.fail('codes.create', read.error, exchange);
  probe.known.written.push(read.result);
  checkName(probe, exchange, read.result, (exchange.request.body as { name: string }).name);
  const wrapper = wrapperOf(exchange.json, read.result.id);
  probe.answer('codes.create', {
    verdict: 'works',
    value: `status ${exchange.status}, ${wrapper === undefined ? 'the code itself' : `the code inside ${showName(wrapper)}`}`,
    from: [exchange],
  });
  return read.result;
}

/** Reads a response with the code that was created or changed. */
export function readCode(probe: Probe, exchange: Exchange) {
  const input = { name: 'any', mode: 'dynamic', contentType: 'url', content: {} };
  return probe.read([exchange], (client) => client.qr.create(input));
}
