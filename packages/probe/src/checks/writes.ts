import { isApiError, type QrCode } from '@qr-service/core';
import { readTime, replayMark } from '@qr-service/core/connector';
import { newIdempotencyKey } from '../http/Connection.ts';
import { isSuccess, type Exchange } from '../http/Exchange.ts';
import { safeText } from '../http/redact.ts';
import type { FindingId } from '../findings/catalog.ts';
import { publish, retarget, TARGETS } from './changes.ts';
import { wrapperOf } from './codes.ts';
import { isObject } from './listForm.ts';
import { NoResponse, type Probe } from './Probe.ts';

/** How long the probe waits until a new code is listed. */
const MAX_VISIBLE_MS = 20_000;
/** How far before a new code's `updatedAt` the probe lists codes. */
const SINCE_MARGIN_MS = 10_000;
/** The first waits of the poll for a new code. */
const POLLS_MS = [100, 200, 300, 400, 500];
/** n8n's polling trigger reads at least this far back (docs: order and start of lists). */
const REREAD_MS = 5 * 60 * 1000;
/** Sorted differently by name, by time of creation and by time of the last change. */
const NAMES = ['1', '3', '2'] as const;

/** Creates codes, and looks at everything that changes them. */
export async function checkWrites(probe: Probe): Promise<void> {
  const key = newIdempotencyKey();
  const body = inputOf(probe, NAMES[0]);
  const created = await create(probe, body, key);
  const code = await readCreated(probe, created);
  await checkVisibility(probe, code, created).catch((error: unknown) => {
    // What follows needs no list.
    if (!(error instanceof NoResponse)) throw error;
    probe.answer('lists.visibility', { verdict: 'unknown', explanation: error.message });
  });
  await checkReplay(probe, { key, body, created, code });
  await checkConflict(probe, key);
  await checkRefusal(probe);
  for (const name of NAMES.slice(1)) {
    const exchange = await create(probe, inputOf(probe, name), newIdempotencyKey());
    await readCreated(probe, exchange);
  }
  const [first, second] = probe.known.written as [QrCode, QrCode];
  await checkChange(probe, 'codes.publish', await publish(probe, first.id), first.id);
  await checkRedirect(probe, first);
  await checkChange(probe, 'codes.destination', await retarget(probe, second.id), second.id);
}

function inputOf(probe: Probe, name: string) {
  return {
    name: `${probe.marker} ${name}, safe to delete`,
    mode: 'dynamic',
    contentType: 'url',
    content: { targetUrl: TARGETS[0] },
  };
}

function create(probe: Probe, body: object, idempotencyKey: string): Promise<Exchange> {
  return probe.send({ method: 'POST', path: '/qr', body, idempotencyKey });
}

/** Notes a code that the service created, whether or not the connector can read it. */
function noteCreated(probe: Probe, exchange: Exchange, code: QrCode | undefined): void {
  const id = code?.id ?? idIn(exchange.json);
  if (isSuccess(exchange) && id !== undefined) probe.noteCode(id, code?.publicUrl);
}

function idIn(json: unknown): string | undefined {
  if (!isObject(json)) return undefined;
  for (const level of [json, ...Object.values(json).filter(isObject)])
    if (typeof level['id'] === 'string' || typeof level['id'] === 'number') return String(level['id']);
  return undefined;
}

/** @throws CheckEnded if the connector can't read it */
async function readCreated(probe: Probe, exchange: Exchange): Promise<QrCode> {
  const read = await readCode(probe, exchange);
  noteCreated(probe, exchange, read.result);
  await probe.requireSuccess('codes.create', exchange, '/qr');
  if (read.result === undefined) probe.fail('codes.create', read.error, exchange, '/qr');
  probe.known.written.push(read.result);
  const wrapper = wrapperOf(exchange.json, read.result.id);
  probe.answer('codes.create', {
    verdict: wrapper === undefined ? 'works' : 'differs',
    value: `status ${exchange.status}, ${wrapper === undefined ? 'the code itself' : `the code inside ${safeText(wrapper)}`}`,
    from: [exchange],
  });
  return read.result;
}

function readCode(probe: Probe, exchange: Exchange) {
  const input = { name: 'any', mode: 'dynamic', contentType: 'url', content: {} };
  return probe.read([exchange], (client) => client.qr.create(input));
}

/** Polls the list until it contains the new code. */
async function checkVisibility(probe: Probe, code: QrCode, created: Exchange): Promise<void> {
  const time = readTime(code.updatedAt);
  const since = new Date((time ?? probe.now()) - SINCE_MARGIN_MS).toISOString();
  let missingMs: number | undefined;
  for (let poll = 0; ; poll++) {
    const exchange = await probe.get('/qr', { limit: 50, updatedSince: since });
    const { result: page, error } = await probe.read([exchange], (client) =>
      client.qr.listPage({ limit: 50 }),
    );
    if (page === undefined) {
      probe.answer('lists.visibility', {
        verdict: 'unknown',
        explanation: probe.explain(error),
        from: [exchange],
      });
      return;
    }
    const elapsed = exchange.sentAt - created.receivedAt;
    if (page.rows.some(({ id }) => id === code.id)) {
      probe.known.visibleAfterMs = missingMs === undefined ? 0 : elapsed;
      if (missingMs !== undefined) probe.shape.visibleAfterMs = elapsed;
      probe.answer('lists.visibility', {
        verdict: elapsed < REREAD_MS ? 'works' : 'fails',
        value: missingMs === undefined ? 'at once' : `${missingMs} to ${elapsed} ms`,
        from: [created, exchange],
      });
      return;
    }
    if (page.nextCursor !== undefined) {
      probe.answer('lists.visibility', {
        verdict: 'unknown',
        explanation:
          'The new code is not on the first page of those that changed since. Run the probe again while fewer codes change.',
        from: [exchange],
      });
      return;
    }
    missingMs = elapsed;
    if (elapsed > MAX_VISIBLE_MS) {
      probe.answer('lists.visibility', {
        verdict: 'unknown',
        value: `more than ${MAX_VISIBLE_MS / 1000} s`,
        explanation:
          'The new code was not listed within that time. Polling triggers read five minutes back, so they miss codes that show later than that.',
        from: [created, exchange],
      });
      return;
    }
    await probe.connection.sleep(POLLS_MS[poll] ?? 500);
  }
}

interface FirstCode {
  key: string;
  body: object;
  created: Exchange;
  code: QrCode;
}

async function checkReplay(probe: Probe, { key, body, created, code }: FirstCode): Promise<void> {
  const again = await create(probe, body, key);
  const { result: second, error } = await readCode(probe, again);
  const from = [created, again];
  if (second === undefined) {
    probe.answer('idempotency.replay', {
      verdict: 'fails',
      value: `status ${again.status}`,
      explanation: `A retry of a request that succeeded must return its response. ${probe.explain(error)}`,
      from,
    });
    return;
  }
  if (second.id !== code.id) {
    noteCreated(probe, again, second);
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
  probe.answer('idempotency.replay', {
    verdict: 'works',
    value: mark === undefined ? 'replayed, without a mark' : `replayed, with ${mark}`,
    from,
  });
}

async function checkConflict(probe: Probe, key: string): Promise<void> {
  if (probe.wireShape.idempotency === 'ignored') {
    probe.answer('idempotency.conflict', {
      verdict: 'fails',
      value: 'ignored',
      explanation: 'The service ignores Idempotency-Key.',
    });
    return;
  }
  const exchange = await create(probe, inputOf(probe, `${NAMES[0]}, other input`), key);
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
    if (!isReplay) noteCreated(probe, exchange, code);
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
  probe.answer('idempotency.conflict', {
    verdict: 'differs',
    value: error === undefined ? `status ${exchange.status}` : safeText(error.code),
    explanation: 'The API text names the code idempotency_conflict. The connector shows this error as it is.',
    from,
  });
}

/** Whether a refusal is replayed, too. Input that is refused creates nothing. */
async function checkRefusal(probe: Probe): Promise<void> {
  const key = newIdempotencyKey();
  const body = { ...inputOf(probe, 'invalid'), content: { targetUrl: 'not a URL' } };
  const first = await create(probe, body, key);
  const error = await probe.failureOf(first);
  if (isSuccess(first) || error === undefined) {
    const { result: code } = await readCode(probe, first);
    noteCreated(probe, first, code);
    probe.answer('errors.validation', {
      verdict: 'differs',
      value: `status ${first.status}`,
      explanation: "A code whose target isn't a URL was accepted. The connector checks targets itself.",
      from: [first],
    });
    probe.answer('idempotency.refusal', {
      verdict: 'unknown',
      explanation: 'The service accepted the invalid input that it was expected to refuse.',
      from: [first],
    });
    return;
  }
  const isExpected = first.status === 422 && error.code === 'validation_failed';
  probe.answer('errors.validation', {
    verdict: isExpected ? 'works' : error.intermediary === undefined ? 'differs' : 'fails',
    value: `${first.status} ${safeText(error.code)}`,
    explanation: isExpected ? undefined : `The API text names 422 validation_failed. ${probe.explain(error)}`,
    from: [first],
  });
  if (probe.wireShape.idempotency === 'ignored') {
    probe.answer('idempotency.refusal', { verdict: 'works', value: 'not replayed', from: [first] });
    return;
  }
  const again = await create(probe, body, key);
  const second = await probe.failureOf(again);
  const from = [first, again];
  if (isSuccess(again)) noteCreated(probe, again, (await readCode(probe, again)).result);
  const ids = [error.requestId, second?.requestId];
  const isReplayed = second?.replayed === true || (ids[0] !== undefined && ids[0] === ids[1]);
  if (isReplayed) {
    probe.answer('idempotency.refusal', {
      verdict: 'works',
      value: 'replayed',
      explanation: 'After a correction, the connector continues with the next key.',
      from,
    });
    return;
  }
  if (second === undefined || ids.includes(undefined)) {
    probe.answer('idempotency.refusal', {
      verdict: 'unknown',
      explanation:
        'Refusals have no request ID and no mark of a replay, so they look alike. The connector then takes a second refusal for a replay.',
      from,
    });
    return;
  }
  if (probe.wireShape.idempotency === 'replayed') probe.wireShape.idempotency = 'refusals not replayed';
  probe.answer('idempotency.refusal', { verdict: 'works', value: 'not replayed', from });
}

/** Reads the response to publishing or updating the destination. */
async function checkChange(
  probe: Probe,
  id: Extract<FindingId, 'codes.publish' | 'codes.destination'>,
  exchange: Exchange,
  codeId: string,
): Promise<void> {
  const path = id === 'codes.publish' ? '/qr/*/publish' : '/qr/*/destination';
  if (!isSuccess(exchange)) {
    const { error } = await probe.read([exchange], (client) => client.me());
    const isExpected =
      isApiError(error) && ['approval_required', 'contrast_check_failed'].includes(error.code);
    if (!isExpected) await probe.requireSuccess(id, exchange, path);
    probe.answer(id, { verdict: 'unknown', explanation: probe.explain(error), from: [exchange] });
    return;
  }
  const { error } = await probe.read([exchange], (client) =>
    id === 'codes.publish' ? client.qr.publish(codeId) : client.qr.retarget(codeId, TARGETS[1]),
  );
  if (error !== undefined) probe.fail(id, error, exchange, path);
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
    ? { form: 'summary', value: wrapper === undefined ? 'the code' : `the code inside ${safeText(wrapper)}` }
    : { form: 'wrapped', value: `the code inside ${safeText(wrapper)}, next to other fields` };
}

/** Opens the short link of a published code, like a phone that scans it. The key isn't sent. */
async function checkRedirect(probe: Probe, { publicUrl }: QrCode): Promise<void> {
  if (probe.answerTo('codes.publish')?.verdict !== 'works') {
    probe.answer('codes.redirect', { verdict: 'unknown', explanation: 'The code was not published.' });
    return;
  }
  if (typeof publicUrl !== 'string' || !/^https?:\/\//.test(publicUrl) || !URL.canParse(publicUrl)) {
    probe.answer('codes.redirect', {
      verdict: 'differs',
      value: 'publicUrl is not a web address',
      explanation: "Codes can't be found by their short link, and steps that map it get something else.",
    });
    return;
  }
  const visit = await probe.connection.visit(publicUrl);
  const isRight = visit?.location !== undefined && sameUrl(visit.location, TARGETS[0]);
  probe.answer('codes.redirect', {
    verdict: isRight ? 'works' : 'unknown',
    value: visit === undefined ? 'no response' : `status ${visit.status}`,
    explanation: isRight
      ? undefined
      : "The short link of a published code didn't redirect to its target at once. It may take longer, or show a page first.",
  });
}

function sameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}
