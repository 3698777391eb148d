import { NODE, onPoll } from './support/workflows.ts';
import { startWorld } from './support/world.ts';

test('emits 10,000 changed codes once each, in batches of 1,000', async () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `qr_${index}`);
  let clock = Date.UTC(2026, 0, 1);
  const { emulator, engine, close } = await startWorld({
    now: () => clock++,
    seed: { codes: ids.map((id) => ({ id, name: 'Code', targetUrl: 'https://example.com/' })) },
    rateLimit: { limit: 1e6, windowSeconds: 10 },
  });
  try {
    const trigger = engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.activate();
    for (const id of ids) emulator.control.rename(id, 'Changed');
    const batches: number[] = [];
    const emitted: unknown[] = [];
    for (let tick = 0; tick < 15; tick++) {
      const { items, execution } = await trigger.tick();
      await execution;
      batches.push(items.length);
      emitted.push(...items.map(({ json }) => json['id']));
    }
    expect(batches).toEqual([...Array<number>(10).fill(1000), 0, 0, 0, 0, 0]);
    expect(new Set(emitted)).toEqual(new Set(ids));
    expect(JSON.stringify(trigger.staticData).length).toBeLessThan(300_000);
  } finally {
    await close();
  }
});
