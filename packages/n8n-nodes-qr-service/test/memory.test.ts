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
  for (let i = 0; i < 20_000; i++) seen.set(`row ${i}`, i * step);
  const text = seen.toString();
  expect(text.length).toBeLessThan(300_000);
  const kept = new SeenVersions(text);
  expect([kept.size, kept.newest('row 19999')]).toEqual([20_000, Math.floor(19_999 * step)]);
});
