import { ApiError, TransportError } from '@qr-service/core';
import { Session } from '../src/session/Session.ts';

const TO_A = { url: 'https://a.example' };
const TO_B = { url: 'https://b.example' };

const lost = new TransportError('No response.', { kind: 'network' });
const unsent = new TransportError('No connection.', { kind: 'network', unsent: true });
const failed = (status: number, code: string) =>
  new ApiError({ status, code, message: '', retryable: status >= 500, method: 'POST', path: '/qr' });

/** Starts a change, ends it, and returns its key. */
function change(session: Session, input: object, error?: unknown, id = 'qr_1'): string {
  const started = session.startChange('retarget', id, input);
  started.end(error);
  return started.idempotencyKey;
}

test.each([
  ['is answered', undefined, false],
  ['is refused', failed(422, 'validation_failed'), false],
  ['was never sent', unsent, false],
  ['has no response', lost, true],
  ['fails in the service', failed(503, 'http_503'), true],
  ['is still running', failed(409, 'idempotency_in_progress'), true],
])('the key of a change that %s is used again: %#', (_how, error, isSame) => {
  const session = new Session('s');
  expect(change(session, TO_A, error) === change(session, TO_A)).toBe(isSame);
});

test('a change to B in between makes the way back to A new', () => {
  const session = new Session('s');
  const first = change(session, TO_A, lost);
  change(session, TO_B);
  expect(change(session, TO_A)).not.toBe(first);
});

test('an open change of another code or another session does not share the key', () => {
  const [one, other] = [new Session('s'), new Session('t')];
  const keys = [change(one, TO_A, lost), change(one, TO_A, lost, 'qr_2'), change(other, TO_A, lost)];
  expect(new Set(keys).size).toBe(3);
});

test('the key of a creation depends on the session, the input and the copy', () => {
  const [one, other] = [new Session('s'), new Session('t')];
  const input = { name: 'A', content: { targetUrl: 'https://a.example' } };
  const reordered = { content: { targetUrl: 'https://a.example' }, name: 'A' };
  expect(one.creationKey(input, 1)).toBe(one.creationKey(reordered, 1));
  const keys = [one.creationKey(input, 1), one.creationKey(input, 2), other.creationKey(input, 1)];
  expect(new Set([...keys, one.creationKey({ ...input, name: 'B' }, 1)]).size).toBe(4);
});

test('only a creation that returned the same code before is a repetition', () => {
  const session = new Session('s');
  expect(session.recordCreation('key', 'qr_1')).toBe(false);
  expect(session.recordCreation('key', 'qr_1')).toBe(true);
  expect(session.recordCreation('key', 'qr_2')).toBe(false);
});
