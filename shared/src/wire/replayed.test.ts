import { replayMark } from './replayed.ts';

it.each([
  [{ 'Idempotency-Replayed': 'true' }, 'Idempotency-Replayed'],
  [{ 'idempotent-replayed': 'TRUE' }, 'Idempotent-Replayed'],
  [{ 'X-Idempotent-Replayed': '1' }, 'X-Idempotent-Replayed'],
  [{ 'x-idempotency-replayed': ['yes'] }, 'X-Idempotency-Replayed'],
  [{ 'Idempotency-Replayed': 'false' }, undefined],
  [{ 'Idempotency-Replayed': '10' }, undefined],
  [{ 'Idempotency-Replayed': 'not yes' }, undefined],
  [{ 'Idempotency-Key': 'true' }, undefined],
  [{}, undefined],
])('the mark of a replay in %j is %p', (headers, expected) => expect(replayMark(headers)).toBe(expected));
