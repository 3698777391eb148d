import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { SCOPES } from '@qr-service/core';
import { UNSEEN_EVENTS } from '@qr-service/core/connector';
import app from 'zapier-qr-service';
import type { ZapierEngine } from '../../engines/zapier/index.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

const FOLDER = path.join(__dirname, '../../packages/zapier-qr-service');
const readme = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');

/** The rows of the table below a heading: the step's label, and the scopes of its key. */
function stepsBelow(heading: string): (readonly [label: string, scopes: string[]])[] {
  const table = readme.split(`\n## ${heading}\n`)[1]!.split(/^## /m, 1)[0]!;
  return [...table.matchAll(/^\| ([^|]+?) *\|[^|]*\| `([^|]+)` *\|$/gm)].map(
    ([, label = '', scopes = '']) => [label, scopes.split(' ')] as const,
  );
}

const STEPS = [...stepsBelow('Triggers'), ...stepsBelow('Actions and searches')];

interface Part {
  display: { label?: string | undefined; hidden?: boolean | undefined };
}
const labelOf = ({ display }: Part) => display.label;
const visible = (parts: Partial<Record<string, Part>>) =>
  Object.values(parts).filter((part) => part !== undefined && part.display.hidden !== true) as Part[];

test('lists every visible step', () => {
  const { triggers, creates, searches, searchOrCreates } = app;
  const parts = [triggers, creates, searches, searchOrCreates].flatMap((each) => visible(each));
  expect(STEPS.map(([label]) => label)).toEqual(parts.map(labelOf));
});

test('RELEASING.md says how many triggers are hidden', () => {
  const releasing = readFileSync(path.join(FOLDER, 'RELEASING.md'), 'utf8');
  expect(UNSEEN_EVENTS).toHaveLength(8);
  expect(releasing).toContain('Eight instant triggers are hidden');
});

describe('the scopes of each step', () => {
  const url = 'https://example.com/menu';
  let world: World;
  let qrCodeId: unknown;
  beforeAll(async () => {
    world = await startWorld();
    const code = await world.engine.create('create_qr_code', { name: 'Table 4', targetUrl: url });
    qrCodeId = code['id'];
  });
  afterAll(() => world.close());

  /** Runs a step by its label. */
  async function run(engine: ZapierEngine, label: string): Promise<void> {
    const create = { name: 'Table 5', targetUrl: url };
    const steps: Record<string, () => Promise<unknown>> = {
      'Create QR Code': () => engine.create('create_qr_code', create),
      'Publish QR Code': () => engine.create('publish_qr_code', { qrCodeId }),
      'Update QR Code Destination': () => engine.create('retarget_qr_code', { qrCodeId, url }),
      'Create or Update QR Code': () =>
        engine.create('upsert_qr_code', { matchByName: true, name: 'Table 6', targetUrl: url }),
      'Create QR Code Image': async () =>
        engine.hydrateFile((await engine.create('render_qr_code', { qrCodeId }))['file']),
      'Find QR Code': () => engine.search('find_qr_code', { value: 'Table 4' }),
      'Find Scans': () => engine.search('find_scans', {}),
      'Find or Create QR Code': () => engine.searchOrCreate('find_qr_code', { value: 'none' }, create),
    };
    const trigger = Object.values(app.triggers).find((each) => labelOf(each) === label);
    if (trigger === undefined) await steps[label]!();
    else if ('performSubscribe' in trigger.operation)
      await (await engine.subscribe(trigger.key, HOOK_URL)).unsubscribe();
    else await engine.poll(trigger.key);
  }

  const connect = (scopes: string[]) =>
    world.connect(
      world.emulator.control.createKey({ scopes: SCOPES.filter((scope) => scopes.includes(scope)) }).apiKey,
    );

  test.each(STEPS)('%s runs with %j, and not with fewer', async (label, scopes) => {
    expect(SCOPES).toEqual(expect.arrayContaining(scopes));
    await run(await connect(scopes), label);
    for (const missing of scopes) {
      const fewer = await connect(scopes.filter((scope) => scope !== missing));
      expect(await failureOf(run(fewer, label))).toMatchObject({ code: 'insufficient_scope' });
    }
  });
});

describe('the Zaps for whole jobs', () => {
  const jobs = readme.split('\n## Zaps for whole jobs\n')[1]!.split(/^## /m, 1)[0]!;

  test('use steps and fields that exist, and outputs of the steps before', () => {
    const { creates, searches, triggers } = app;
    const parts = [...Object.values(creates), ...Object.values(searches)];
    const inputsOf = new Map(
      parts.map(({ display, operation }) => [display.label, JSON.stringify(operation.inputFields)]),
    );
    const rows = [...jobs.matchAll(/^\| ([^|]+?) *\| ([^|]+?) *\| ([^|]+?) *\|$/gm)].map(
      ([, ...cells]) => cells,
    );
    const own = rows.filter(([step]) => inputsOf.has(step));
    expect(new Set(own.map(([step]) => step)).size).toBeGreaterThanOrEqual(2);
    for (const [step, fields] of own)
      for (const field of fields!.split(', ')) expect(inputsOf.get(step)).toContain(`"label":"${field}"`);
    const outputs = JSON.stringify(
      [...parts, ...Object.values(triggers)].map(({ operation }) => operation.outputFields),
    );
    const used = rows.flatMap(
      ([, , value = '']) =>
        /(QR Code ID|Short Link|Image File|QR Code Name) from step/.exec(value)?.[1] ?? [],
    );
    expect(new Set(used)).toEqual(new Set(['QR Code ID', 'Image File', 'Short Link', 'QR Code Name']));
    for (const label of used) expect(outputs).toContain(`"label":"${label}"`);
  });

  test('draw a chart of scans', () => {
    const code = /```js\n([^]*?)```/.exec(jobs)![1]!;
    const digest = ['Table 4', 'Poster', 'Table 4', '', 'Table 4', '__proto__'].join('\n');
    const context = { inputData: { digest }, output: undefined };
    runInNewContext(code, context);
    // While the editor tests the step, no digest is released yet.
    const empty = { inputData: {}, output: undefined };
    runInNewContext(code, empty);
    expect(empty.output).toEqual({ subject: 'QR codes: 0 scans', chart: '' });
    expect(context.output).toEqual({
      subject: 'QR codes: 5 scans',
      chart: [
        `${'█'.repeat(20)} 3 Table 4`,
        `${'█'.repeat(7)} 1 Poster`,
        `${'█'.repeat(7)} 1 __proto__`,
      ].join('\n'),
    });
  });
});
