import { Sessions } from '../src/session/Sessions.ts';

test('the key of a creation depends on the session, the input and the copy', () => {
  const sessions = new Sessions();
  const [one, other] = [sessions.get('s'), sessions.get('t')];
  const input = { name: 'A', content: { targetUrl: 'https://a.example' } };
  const reordered = { content: { targetUrl: 'https://a.example' }, name: 'A' };
  expect(one.creationKey(input, 1)).toBe(one.creationKey(reordered, 1));
  const keys = [one.creationKey(input, 1), one.creationKey(input, 2), other.creationKey(input, 1)];
  expect(new Set([...keys, one.creationKey({ ...input, name: 'B' }, 1)]).size).toBe(4);
});
