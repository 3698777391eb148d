import { PollContext } from 'n8n-core';
import type { PollTrigger } from '../../engines/n8n/index.ts';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, CREATE, NODE, onPoll } from './support/workflows.ts';

let world: World;
let clock: number;
beforeEach(async () => {
  clock = Date.now();
  world = await startWorld({ now: () => clock });
});
afterEach(() => world.close());

async function create(...names: string[]): Promise<{ id: string; publicUrl: string }[]> {
  const rows = names.map((name) => ({ name, targetUrl: 'https://example.com/' }));
  const { data } = await world.engine.runWorkflow(action(CREATE, rows));
  return data[NODE]!.map(({ json }) => json as { id: string; publicUrl: string });
}
const publish = (id: string) =>
  world.engine.runWorkflow(action({ operation: 'publish', qrCodeId: codeBy('id', id) }));
const names = async (trigger: PollTrigger) => (await trigger.tick()).items.map(({ json }) => json['name']);

describe('changed codes', () => {
  /** An active trigger with 130 changes before it. */
  async function withTwoPages(): Promise<PollTrigger> {
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.activate();
    clock += 120_000;
    await create(...Array.from({ length: 130 }, (_, i) => `Row ${i}`));
    return trigger;
  }

  function failSecondPage(): void {
    world.emulator.control.failNext({ delayMs: 0 });
    world.emulator.control.failNext({ code: 'insufficient_scope' });
  }

  test('emits nothing on activation, then each change once, oldest first, in one execution per poll', async () => {
    await create('Before');
    clock += 60_000;
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    expect((await trigger.activate()).items).toEqual([]);
    expect(await names(trigger)).toEqual([]);

    clock += 5000;
    const [one] = await create('One');
    clock += 5000;
    await create('Two');
    const { items, execution } = await trigger.tick();
    expect(items.map(({ json }) => json['name'])).toEqual(['One', 'Two']);
    expect((await execution)?.data['Rows']).toHaveLength(2);
    expect(await names(trigger)).toEqual([]);

    clock += 5000;
    await publish(one!.id);
    expect(await names(trigger)).toEqual(['One']);
    expect(await names(trigger)).toEqual([]);
  });

  test('emits the pages before a failed one at once and the rest at the next poll', async () => {
    const trigger = await withTwoPages();
    const before = JSON.stringify(trigger.staticData);
    world.emulator.control.failNext({ code: 'insufficient_scope' });
    await expect(trigger.tick()).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '403' });
    expect(JSON.stringify(trigger.staticData)).toBe(before);
    failSecondPage();
    expect(await names(trigger)).toHaveLength(100);
    const asked = world.emulator.control.requestCount();
    expect(await names(trigger)).toHaveLength(30);
    expect(world.emulator.control.requestCount()).toBe(asked + 1);
    expect(await names(trigger)).toEqual([]);
  });

  test('emits changes made while the workflow was inactive when it is activated again', async () => {
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.activate();
    clock += 86_400_000;
    await create('Meanwhile');
    const again = world.engine.pollTrigger(onPoll('changedCodes'), NODE, trigger.staticData);
    expect((await again.activate()).items.map(({ json }) => json['name'])).toEqual(['Meanwhile']);
  });

  test.each([
    ['exchange their names', { a: 'B', b: 'A' }],
    ['both get another name, one the name of the other', { a: 'B', b: 'C' }],
    ['are joined by one with the former name of the first', { a: 'C', new: 'A', b: 'B' }],
    ['are reduced to one with the name of the other', { a: 'B' }],
  ])('two triggers that %s keep their progress', async (_how, renamed: Record<string, string>) => {
    const workflowOf = (nameOf: Record<string, string>) => {
      const { nodes, ...workflow } = onPoll('changedCodes');
      const triggers = Object.entries(nameOf).map(([id, name]) => ({ ...nodes[0]!, id, name }));
      return { ...workflow, nodes: triggers, connections: {} };
    };
    let staticData = {};
    const activate = async (nameOf: Record<string, string>, id: string) => {
      const trigger = world.engine.pollTrigger(workflowOf(nameOf), nameOf[id]!, staticData);
      const { items } = await trigger.activate();
      ({ staticData } = trigger);
      return items.map(({ json }) => json['name']);
    };
    const before = { a: 'A', b: 'B' };
    await activate(before, 'b');
    clock += 86_400_000;
    await create('Before A');
    await activate(before, 'a');
    clock += 86_400_000;
    await create('Last');
    const expected: Record<string, string[]> = { new: [], a: ['Last'], b: ['Before A', 'Last'] };
    for (const id of Object.keys(renamed)) expect(await activate(renamed, id)).toEqual(expected[id]);
  });

  test('a copy of the trigger starts with its first poll', async () => {
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    await trigger.activate();
    await create('Before the copy');
    const copied = onPoll('changedCodes');
    copied.nodes.push({ ...copied.nodes[0]!, id: 'copy', name: 'Copy' });
    const copy = world.engine.pollTrigger(copied, 'Copy', trigger.staticData);
    expect((await copy.activate()).items).toEqual([]);
  });

  test.each([1, 2])(
    'emits a change once when a poll ends while the next one waits for read %d of the credential',
    async (slowRead) => {
      const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
      await trigger.activate();
      clock += 120_000;
      await create('Once');
      const getCredentials = Reflect.get(PollContext.prototype, 'getCredentials') as () => Promise<never>;
      const readers: unknown[] = [];
      const read = jest.spyOn(PollContext.prototype, 'getCredentials');
      read.mockImplementation(async function (this: PollContext, type) {
        readers.push(this);
        const [, next] = new Set(readers);
        if (this === next && readers.filter((reader) => reader === next).length === slowRead) await first;
        return Reflect.apply(getCredentials, this, [type]) as Promise<never>;
      });
      const first = names(trigger);
      expect((await Promise.all([first, names(trigger)])).flat()).toEqual(['Once']);
      read.mockRestore();
    },
  );

  test('shows the latest codes in a manual run without storing a position', async () => {
    for (let i = 0; i < 12; i++) {
      clock += 1000;
      await create(`Code ${i}`);
    }
    const trigger = world.engine.pollTrigger(onPoll('changedCodes'), NODE);
    const shown = (await trigger.test()).map(({ json }) => json['name']);
    expect(shown).toEqual(Array.from({ length: 10 }, (_, i) => `Code ${11 - i}`));
    expect(trigger.staticData).toEqual({});
  });
});

describe('options', () => {
  const activate = async (options: object, from = {}) => {
    const trigger = world.engine.pollTrigger(onPoll('changedCodes', { ...options }), NODE, from);
    await trigger.activate();
    return trigger;
  };
  const rename = (id: string, name: string) => world.emulator.control.rename(id, name);

  test('both options emit a new code once, when it is published, and an existing draft never', async () => {
    const [draft] = await create('Old draft');
    const trigger = await activate({ onlyNew: true, onlyPublished: true });
    const [code] = await create('New');
    expect(await names(trigger)).toEqual([]);
    clock += 60_000;
    await publish(draft!.id);
    await publish(code!.id);
    expect(await names(trigger)).toEqual(['New']);
    rename(code!.id, 'Edited');
    expect(await names(trigger)).toEqual([]);
  });

  test('changing Only New later does not emit earlier changes', async () => {
    const all = await activate({});
    const [code] = await create('One');
    expect(await names(all)).toEqual(['One']);
    await create('Not polled yet');
    const onlyNew = await activate({ onlyNew: true }, all.staticData);
    clock += 60_000;
    rename(code!.id, 'One, edited');
    await create('Two');
    expect(await names(onlyNew)).toEqual(['Two']);
    const allAgain = await activate({}, onlyNew.staticData);
    expect(await names(allAgain)).toEqual([]);
    rename(code!.id, 'One, edited again');
    expect(await names(allAgain)).toEqual(['One, edited again']);
    const onlyNewAgain = await activate({ onlyNew: true }, allAgain.staticData);
    rename(code!.id, 'One, edited once more');
    expect(await names(onlyNewAgain)).toEqual([]);
  });

  test('Only Published shows only published codes in a manual run', async () => {
    const [code] = await create('Published', 'Draft');
    await publish(code!.id);
    const trigger = world.engine.pollTrigger(onPoll('changedCodes', { onlyPublished: true }), NODE);
    expect((await trigger.test()).map(({ json }) => json['name'])).toEqual(['Published']);
  });
});

test('emits each new scan once with an ID, and none from before activation', async () => {
  const [code] = await create('Scanned');
  await publish(code!.id);
  const scan = () => fetch(code!.publicUrl, { redirect: 'manual' });
  await scan();
  clock += 120_000;
  const trigger = world.engine.pollTrigger(onPoll('scans'), NODE);
  expect((await trigger.activate()).items).toEqual([]);
  for (let i = 0; i < 3; i++) await scan();
  const { items } = await trigger.tick();
  expect(items).toHaveLength(3);
  expect(new Set(items.map(({ json }) => json['id'])).size).toBe(3);
  expect(items[0]!.json).toMatchObject({ qrId: code!.id });
  for (const { json } of items) {
    expect(new Date(json['scannedAt'] as string).toISOString()).toBe(json['scannedAt']);
  }
  await scan();
  expect((await trigger.tick()).items).toHaveLength(1);
  expect((await trigger.tick()).items).toEqual([]);
  expect(await trigger.test()).toHaveLength(5);
});
