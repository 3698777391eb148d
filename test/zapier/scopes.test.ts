import { SCOPES, type Scope } from '@qr-service/core';
import app from 'zapier-qr-service';
import type { ZapierEngine } from '../../engines/zapier/index.ts';
import { failureOf, HOOK_URL, startWorld, type World } from './support/world.ts';

/** The scopes that each visible step needs, by its label. */
const STEPS: [label: string, scopes: Scope[]][] = [
  ['QR Code Created', ['webhooks:write']],
  ['QR Code Published', ['webhooks:write']],
  ['QR Code Updated', ['webhooks:write']],
  ['QR Code Archived', ['webhooks:write']],
  ['QR Code Deleted', ['webhooks:write']],
  ['Feedback Response Received', ['webhooks:write']],
  ['Other Event', ['webhooks:write']],
  ['New or Changed QR Code', ['qr:read']],
  ['New Scan', ['analytics:read']],
  ['Create QR Code', ['qr:write']],
  ['Publish QR Code', ['qr:write']],
  ['Update QR Code Destination', ['qr:write']],
  ['Create or Update QR Code', ['qr:read', 'qr:write']],
  ['Create QR Code Image', ['qr:read', 'exports:read']],
  ['Find QR Code', ['qr:read']],
  ['Find Scans', ['analytics:read']],
  ['Find or Create QR Code', ['qr:read', 'qr:write']],
];

interface Part {
  display: { label?: string | undefined; hidden?: boolean | undefined };
}
const labelOf = ({ display }: Part) => display.label;
const visible = (parts: Partial<Record<string, Part>>) =>
  Object.values(parts).filter((part) => part !== undefined && part.display.hidden !== true) as Part[];

test('the table names every visible step', () => {
  const { triggers, creates, searches, searchOrCreates } = app;
  const parts = [triggers, creates, searches, searchOrCreates].flatMap((each) => visible(each));
  expect(STEPS.map(([label]) => label)).toEqual(parts.map(labelOf));
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
        engine.create('upsert_qr_code', { matchBy: 'name', name: 'Table 6', targetUrl: url }),
      'Create QR Code Image': async () =>
        engine.hydrateFile((await engine.create('render_qr_code', { qrCodeId }))['file']),
      'Find QR Code': () => engine.search('find_qr_code', { value: 'Table 4' }),
      'Find Scans': () => engine.search('find_scans', {}),
      'Find or Create QR Code': () => engine.searchOrCreate('find_qr_code', { value: 'none' }, create),
    };
    const trigger = Object.values(app.triggers).find((each) => labelOf(each) === label);
    if (trigger === undefined) await steps[label]!();
    else if ('performSubscribe' in trigger.operation)
      await (await engine.subscribe(trigger.key, HOOK_URL, { event: 'export.ready' })).unsubscribe();
    else await engine.poll(trigger.key);
  }

  const connect = (scopes: Scope[]) =>
    world.connect(
      world.emulator.control.createKey({ scopes: SCOPES.filter((scope) => scopes.includes(scope)) }).apiKey,
    );

  test.each(STEPS)('%s runs with %j, and not with fewer', async (label, scopes) => {
    await run(await connect(scopes), label);
    for (const missing of scopes) {
      const fewer = await connect(scopes.filter((scope) => scope !== missing));
      expect(await failureOf(run(fewer, label))).toMatchObject({ code: 'insufficient_scope' });
    }
  });
});
