import type { ApiError, ErrorCode } from '@qr-service/core';
import { isOwnError } from '@qr-service/core/connector';
import type { FindingId } from '../findings/catalog.ts';
import type { Exchange, ProbeRequest } from '../http/Exchange.ts';
import { showName } from '../http/redact.ts';
import { codePath } from './changes.ts';
import { bodyForm } from './listForm.ts';
import { NoResponse, NotSent, type Probe } from './Probe.ts';

const UNKNOWN_KEY = 'qr-service-probe-unknown-key';
const INVALID_CURSOR = 'qr-service-probe-invalid-cursor';

/** Requests that must fail, and how. */
export async function checkErrors(probe: Probe): Promise<void> {
  const unauthorized = { method: 'GET', path: '/me', otherKey: UNKNOWN_KEY } as const;
  await checkError(probe, 'errors.unauthorized', unauthorized, { status: 401, code: 'invalid_api_key' });
  const lacksRead = probe.known.scopes !== undefined && !probe.known.scopes.includes('qr:read');
  if (!lacksRead) {
    const notFound = { method: 'GET', path: codePath(unusedId(probe)) } as const;
    await checkError(probe, 'errors.notFound', notFound, { status: 404, code: 'not_found' });
    const cursor = { method: 'GET', path: '/qr', query: { limit: 50, cursor: INVALID_CURSOR } } as const;
    await checkError(probe, 'errors.cursor', cursor, { status: 422, code: 'invalid_cursor' });
  }
  checkBody(probe);
}

interface Expected {
  status: number;
  code: ErrorCode;
}

async function checkError(
  probe: Probe,
  id: FindingId,
  request: ProbeRequest,
  expected: Expected,
): Promise<void> {
  let exchange: Exchange;
  try {
    exchange = await probe.send(request);
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    if (error instanceof NotSent) probe.answer(id, { verdict: 'unknown', explanation: error.message });
    else probe.answer(id, { verdict: 'fails', value: 'no usable response', explanation: error.message });
    return;
  }
  const error = await probe.failureOf(exchange);
  const from = [exchange];
  const names = `${expected.status} ${expected.code}`;
  if (error === undefined) {
    probe.answer(id, {
      verdict: 'fails',
      value: `status ${exchange.status}`,
      explanation: `The API text names ${names}, but the request was accepted. ${
        id === 'errors.unauthorized'
          ? "The connector can't tell whether a key is valid."
          : id === 'errors.cursor'
            ? 'A list that is resumed with an old cursor may start again from the beginning, or miss rows.'
            : ''
      }`.trim(),
      from,
    });
    return;
  }
  if (id !== 'errors.unauthorized' && error.code === 'insufficient_scope') {
    probe.answer(id, { verdict: 'unknown', explanation: probe.explain(error), from });
    return;
  }
  const isRight = error.code === expected.code;
  const isExact = isRight && error.status === expected.status;
  if (!isExact) probe.noteError(expected.code, exchange);
  probe.answer(id, {
    verdict: isExact ? 'works' : isRight || isSimilar(error, expected) ? 'differs' : 'fails',
    value: `${error.status} ${showName(error.code)}`,
    explanation: isExact
      ? undefined
      : `The API text names ${names}. ${isRight ? 'The connector goes by the code.' : `The connector shows: ${probe.explain(error)}`}`,
    from,
  });
}

/** Whether the status means the same to the connector, although the code is another. */
function isSimilar(error: ApiError, { status }: Expected): boolean {
  return isOwnError(error, status) && status !== 422;
}

/** The form of the errors' bodies. */
function checkBody(probe: Probe): void {
  const failures = probe.connection.exchanges.filter(({ status }) => status >= 400 && status < 500);
  const forms = new Set(failures.map(({ json }) => bodyForm(json)));
  const [form, other] = forms;
  if (form === undefined) {
    probe.answer('errors.body', { verdict: 'unknown', explanation: 'No request failed.' });
    return;
  }
  if (other === undefined && form !== 'other') probe.wireShape.error = form;
  const names = { flat: 'flat', nested: 'inside error', html: 'not JSON', other: 'JSON without a code' };
  const isUnreadable = forms.has('html') || forms.has('other');
  probe.answer('errors.body', {
    verdict: isUnreadable ? 'fails' : forms.has('nested') ? 'differs' : 'works',
    value: [...forms].map((name) => names[name]).join(', '),
    explanation: isUnreadable
      ? "Errors without a code can't be explained to users: the connector goes by the status, or says that a proxy responded."
      : forms.has('nested')
        ? 'The API text shows the fields at the top. The connector reads both.'
        : undefined,
    from: failures.slice(0, 3),
  });
}

/** An ID of the same form as the service's own that no code has. */
function unusedId(probe: Probe): string {
  const ids = [...probe.known.codes, ...probe.known.written].map(({ id }) => id);
  const [like] = ids;
  if (like === undefined) return 'qr-service-probe-unknown-id';
  // Stays hexadecimal, if it was. The start may be a prefix or a version.
  const half = Math.ceil(like.length / 2);
  const other =
    like.slice(0, half) + like.slice(half).replaceAll(/\d/g, (digit) => String(9 - Number(digit)));
  return ids.includes(other) ? `${like}x` : other;
}
