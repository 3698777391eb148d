import { KnownIds, SeenVersions } from '../nodes/QrServicePollingTrigger/memory.ts';

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

test('stores 20,000 versions from 200 years in less than 300,000 characters and restores them', () => {
  const seen = new SeenVersions();
  const step = (200 * 365 * 24 * 60 * 60_000) / 20_000;
  // Listed in any order. The lowest one is the first that takes two bytes.
  for (let i = 20_000; i-- > 0;) seen.set(`row ${i}`, 128 + i * step);
  const text = seen.toString();
  expect(text.length).toBeLessThan(300_000);
  const kept = new SeenVersions(text);
  expect([kept.size, kept.newest('row 0'), kept.newest('row 19999')]).toEqual([
    20_000,
    128,
    Math.floor(128 + 19_999 * step),
  ]);
});
