import { ApiError, TransportError } from '@qr-service/core';
import type { Session } from '../src/session/Session.ts';
import { Sessions } from '../src/session/Sessions.ts';

const newSession = (id: string) => new Sessions().get(id);

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
  const session = newSession('s');
  expect(change(session, TO_A, error) === change(session, TO_A)).toBe(isSame);
});

test('a change to B in between makes the way back to A new', () => {
  const session = newSession('s');
  const first = change(session, TO_A, lost);
  change(session, TO_B);
  expect(change(session, TO_A)).not.toBe(first);
});

test('an open change of another code or another session does not share the key', () => {
  const sessions = new Sessions();
  const [one, other] = [sessions.get('s'), sessions.get('t')];
  const keys = [change(one, TO_A, lost), change(one, TO_A, lost, 'qr_2'), change(other, TO_A, lost)];
  expect(new Set(keys).size).toBe(3);
});

test('the key of a creation depends on the session, the input and the copy', () => {
  const sessions = new Sessions();
  const [one, other] = [sessions.get('s'), sessions.get('t')];
  const input = { name: 'A', content: { targetUrl: 'https://a.example' } };
  const reordered = { content: { targetUrl: 'https://a.example' }, name: 'A' };
  expect(one.creationKey(input, 1)).toBe(one.creationKey(reordered, 1));
  const keys = [one.creationKey(input, 1), one.creationKey(input, 2), other.creationKey(input, 1)];
  expect(new Set([...keys, one.creationKey({ ...input, name: 'B' }, 1)]).size).toBe(4);
});

test('a change by another session in between makes the same change new', () => {
  const sessions = new Sessions();
  const first = change(sessions.get('s'), TO_A, lost);
  change(sessions.get('t'), TO_B);
  expect(change(sessions.get('s'), TO_A)).not.toBe(first);
});

test('a session that was forgotten and returns does not use its keys again', () => {
  const sessions = new Sessions();
  const first = change(sessions.get('s'), TO_A);
  for (let nth = 0; nth < 200; nth++) sessions.get(`other ${nth}`);
  expect(change(sessions.get('s'), TO_A)).not.toBe(first);
});

test('an older change that ends later leaves the newer one as it is', () => {
  const session = newSession('s');
  const older = session.startChange('retarget', 'qr_1', TO_A);
  const newer = session.startChange('retarget', 'qr_1', TO_B);
  older.end();
  newer.end(lost);
  expect(change(session, TO_B)).toBe(newer.idempotencyKey);
});
