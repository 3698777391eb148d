import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { NODE, onPoll } from './support/workflows.ts';
import { startWorld } from './support/world.ts';

test('emits 10,000 changed codes once each, in batches of 1,000', async () => {
  const { emulator, engine, close } = await startWorld({ rateLimit: { limit: 1e6, windowSeconds: 10 } });
  try {
    const trigger = engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.activate();
    const client = new QrServiceClient({
      baseUrl: emulator.url,
      apiKey: emulator.apiKey,
      transport: undiciTransport(),
    });
    const content = { targetUrl: 'https://example.com/' };
    const created = new Set<string>();
    const createMany = async (count: number) => {
      for (let i = 0; i < count; i++)
        created.add(
          (await client.qr.create({ name: 'Code', mode: 'dynamic', contentType: 'url', content })).id,
        );
    };
    await Promise.all(Array.from({ length: 20 }, () => createMany(500)));
    const batches: number[] = [];
    const emitted: unknown[] = [];
    for (let tick = 0; tick < 15; tick++) {
      const { items, execution } = await trigger.tick();
      await execution;
      batches.push(items.length);
      emitted.push(...items.map(({ json }) => json['id']));
    }
    expect(batches).toEqual([...Array<number>(10).fill(1000), 0, 0, 0, 0, 0]);
    expect(new Set(emitted)).toEqual(created);
    expect(JSON.stringify(trigger.staticData).length).toBeLessThan(100_000);
  } finally {
    await close();
  }
});
