import { KnownIds } from '../nodes/QrServicePollingTrigger/memory.ts';

test('stores known IDs in 11 characters each and restores them', () => {
  const known = new KnownIds();
  const all = Array.from({ length: 1000 }, (_, i) => `qr-${i}`);
  expect(all.every((id) => known.add(id))).toBe(true);
  const text = known.toString();
  expect(text).toHaveLength(11_000);
  const kept = new KnownIds(text);
  expect(all.some((id) => kept.add(id))).toBe(false);
  expect(kept.add('qr-1000')).toBe(true);
});
