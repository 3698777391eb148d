import { SCOPES } from '@qr-service/core';
import { OPERATION_SCOPES } from '@qr-service/core/connector';
import { example } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** What the templates' operations call. */
const CALLS: Record<string, keyof typeof OPERATION_SCOPES> = {
  'qrCode create': 'qr.create',
  'qrCode get': 'qr.get',
  'qrCode render': 'qr.render',
  'scan getAll': 'scans.list',
};

// A real n8n runs them: `npm run e2e -- n8n`.
describe.each([
  'registration-to-ticket',
  'crm-deals-to-links',
  'airtable-to-drive-images',
  'daily-scan-report',
])('%s', (name) => {
  const workflow = example(name);

  test('names the scopes that its API key needs, and no others', () => {
    const operations = workflow.nodes.map(
      ({ parameters }) => `${parameters['resource'] as string} ${parameters['operation'] as string}`,
    );
    const calls = operations.flatMap((operation) => CALLS[operation] ?? []);
    const needed = calls.map((call) => OPERATION_SCOPES[call]);
    const [note] = workflow.nodes;
    const named = SCOPES.filter((scope) => (note!.parameters['content'] as string).includes(`\`${scope}\``));
    expect(new Set(named)).toEqual(new Set(needed));
  });
});

test('the daily report counts the scans of a day with 25 hours, and escapes names', async () => {
  const HOUR = 3_600_000;
  const day = { from: '2026-10-25T00:00:00.000+02:00', to: '2026-10-26T00:00:00.000+01:00' };
  const [start, end] = [Date.parse(day.from), Date.parse(day.to)];
  expect(end - start).toBe(25 * HOUR);
  const times = [start - 1, start, start + 2.2 * HOUR, start + 3.2 * HOUR, end - 1, end];
  const scans = times.map((time) => ({
    id: `scan_${time}`,
    qrId: 'a',
    scannedAt: new Date(time).toISOString(),
  }));
  const pinData = {
    Yesterday: [{ json: { ...day, day: 'that day', zone: 'Europe/Berlin' } }],
    'Get Scans': [...scans, { id: 'scan_undated', qrId: 'a', scannedAt: null }].map((json) => ({ json })),
    'Get Names': [{ json: { name: 'A & <b>' } }],
  };
  const workflow = { ...example('daily-scan-report'), pinData };
  const { data, error } = await world.engine.runWorkflow(workflow, { startNode: 'Every Morning' });
  expect(error).toBeUndefined();
  const mails = data['Send Report']!.map(({ json }) => json as Record<'subject' | 'text' | 'html', string>);
  expect(mails.map(({ subject }) => subject)).toEqual(['QR codes: 4 scans yesterday']);
  const [{ text, html }] = mails as [(typeof mails)[number]];
  const lines = text.split('\n').map((line) => line.trim());
  expect(lines).toEqual(
    expect.arrayContaining([
      '4 scans on that day (Europe/Berlin)',
      'A & <b>: 4',
      // Both hours at two o'clock count as one.
      ...['00:00: 1', '02:00: 2', '23:00: 1'],
      "Scans without a time, which aren't counted: 1",
    ]),
  );
  expect(html).toContain('A &amp; &lt;b>');
});
