import { isReplayed } from './replayed.ts';

describe('isReplayed', () => {
  it.each([
    [{ 'Idempotency-Replayed': 'true' }, true],
    [{ 'idempotent-replayed': 'TRUE' }, true],
    [{ 'X-Idempotent-Replayed': ' 1 ' }, true],
    [{ 'x-idempotency-replayed': ['yes'] }, true],
    [{ 'Idempotency-Replayed': 'false' }, false],
    [{ 'Idempotency-Replayed': '' }, false],
    [{ 'Idempotency-Key': 'true' }, false],
    [{}, false],
  ])('reads %j as %p', (headers, expected) => expect(isReplayed(headers)).toBe(expected));
});
