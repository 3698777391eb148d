import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { SCOPES } from '@qr-service/core';
import { OPERATION_SCOPES, type Operation } from '@qr-service/core/connector';
import { decodeQr } from '../support/decodeQr.ts';
import type { RunResult, WorkflowJson } from '../../engines/n8n/index.ts';
import { example } from './support/workflows.ts';
import { startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** The templates, with the nodes that start them and those of this package. */
const TEMPLATES = [
  ['registration-to-ticket', 'Registration Form', ['Create Ticket Code', 'Download Ticket Image']],
  ['crm-deals-to-links', 'Every 15 Minutes', ['Create Short Link']],
  ['airtable-to-drive-images', 'Every Hour', ['Create QR Code', 'Download Image']],
  ['daily-scan-report', 'Every Morning', ['Get Scans', 'Get Names']],
] as const;

/** What the templates' operations call. */
const CALLS: Record<string, Operation> = {
  'qrCode create': 'qr.create',
  'qrCode get': 'qr.get',
  'qrCode render': 'qr.render',
  'scan getAll': 'scans.list',
};

const jsonOf = (items: INodeExecutionData[] = []) => items.map(({ json }) => json);
const outputOf = ({ data }: RunResult, node: string) => jsonOf(data[node]);

/** A template without its pinned data. */
function unpinned(name: string, change: Partial<WorkflowJson> = {}): WorkflowJson {
  const { pinData: _pinned, ...workflow } = example(name);
  for (const { parameters } of workflow.nodes)
    if (parameters['operation'] === 'render') parameters['options'] = { size: 100 };
  return { ...workflow, ...change };
}

const runFrom = (workflow: WorkflowJson, startNode: string, triggerItems: IDataObject[]) =>
  world.engine.runWorkflow(workflow, { startNode, triggerItems });

describe.each(TEMPLATES)('%s', (name, startNode, ownNodes) => {
  const workflow = example(name);

  test('runs to its end as imported, without a request to the service', async () => {
    const before = world.emulator.control.requestCount();
    const { error, data } = await world.engine.runWorkflow(workflow, { startNode });
    expect(error).toBeUndefined();
    expect(world.emulator.control.requestCount()).toBe(before);
    expect(Object.keys(data)).toEqual(expect.arrayContaining([...ownNodes]));
  });

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

  test('has sample images of its sample codes', () => {
    const images = Object.values(workflow.pinData!).flatMap((items) => items.filter(({ binary }) => binary));
    for (const { json, binary } of images)
      for (const { data, fileName } of Object.values(binary!)) {
        expect(decodeQr(Buffer.from(data, 'base64'))).toBe(json['publicUrl']);
        expect(fileName).toBe(`${json['slug'] as string}.png`);
      }
    expect(images).toHaveLength(ownNodes.filter((node) => node.startsWith('Download')).length);
  });
});

describe('a registration', () => {
  const register = async (guest: IDataObject) => {
    const run = await runFrom(unpinned('registration-to-ticket'), 'Registration Form', [guest]);
    expect(run.error).toBeUndefined();
    return run;
  };

  test('becomes a ticket whose code opens the check-in page, with sample data of the same form', async () => {
    const run = await register({ Name: ' Ada ', Email: 'Ada@Example.com' });
    const [code] = outputOf(run, 'Create Ticket Code');
    expect(outputOf(run, 'Send Ticket')).toEqual([
      {
        toEmail: 'ada@example.com',
        subject: 'Your ticket',
        text: expect.stringMatching(/^Hello Ada,\n[^]*\/r\/ticket-[\da-f]{16}-/),
        html: expect.stringContaining('src="cid:ticket"'),
      },
    ]);
    expect(outputOf(run, 'Tell the Organizer')).toEqual([]);
    const { pinData } = example('registration-to-ticket');
    for (const node of ['Create Ticket Code', 'Download Ticket Image']) {
      const [sample] = pinData![node]!;
      expect(Object.keys(run.data[node]![0]!.json).sort()).toEqual(Object.keys(sample!.json).sort());
      expect(Object.keys(run.data[node]![0]!.binary ?? {})).toEqual(Object.keys(sample!.binary ?? {}));
    }
    // The name is part of the short link, which strangers see.
    expect(code).toMatchObject({ name: expect.stringMatching(/^Ticket [\da-f]{16}$/), status: 'published' });
  });

  test('that is repeated gets the same ticket', async () => {
    const ids = [];
    for (const Email of ['twice@example.com', ' Twice@example.com'])
      ids.push(outputOf(await register({ Name: Email, Email }), 'Create Ticket Code')[0]!['id']);
    expect(ids[0]).toBe(ids[1]);
  });

  test.each([
    ['create', { path: '/qr' }],
    ['publish', { path: '/qr/*/publish' }],
    ['render', { path: '/qr/*/image' }],
  ])('that fails (%s) is reported to the organizer, with the reason', async (step, match) => {
    world.emulator.control.failNext({ code: 'insufficient_scope', match });
    const Email = `${step}@example.com`;
    const run = await register({ Name: 'Grace', Email });
    expect(outputOf(run, 'Send Ticket')).toEqual([]);
    expect(outputOf(run, 'Tell the Organizer')).toMatchObject([
      {
        toEmail: 'organizer@example.com',
        subject: `No ticket for ${Email}`,
        text: expect.stringMatching(/^Grace \(\w+@example\.com\) registered[^]*Reason: \S[^]*scope/i),
      },
    ]);
  });
});

/** Rows that succeed (1, 4) and fail (2, 3), as name and target. */
const ROWS: [name: string, url: string][] = [
  ['Good', 'https://example.com/1'],
  ['', 'https://example.com/2'],
  ['Wrong', 'nowhere'],
  ['Good, too', 'https://example.com/4'],
];
const ROW_ERRORS = ['Name is empty', "Target URL isn't a valid web address: 'nowhere'"];

interface TableTemplate {
  name: string;
  startNode: string;
  item: (id: string, name: string, url: string) => IDataObject;
  linkNode: string;
  readLink: (json: IDataObject) => unknown[];
  readError: (json: IDataObject) => unknown[];
}

const properties = ({ dealId, updateFields }: IDataObject) => {
  const { customPropertiesValues } = (updateFields as { customPropertiesUi: IDataObject })[
    'customPropertiesUi'
  ];
  const values = (customPropertiesValues as { property: string; value: string }[]).map(
    ({ property, value }) => [property, value] as const,
  );
  return { id: (dealId as IDataObject)['value'], ...Object.fromEntries(values) } as IDataObject;
};

const TABLES: TableTemplate[] = [
  {
    name: 'crm-deals-to-links',
    startNode: 'Deals Without a Link',
    item: (id, dealname, url) => ({ id, properties: { dealname, qr_target_url: url } }),
    linkNode: 'Write Short Link',
    readLink: (json) => {
      const { id, qr_short_link: link, qr_error: error } = properties(json);
      return [id, link, error];
    },
    readError: (json) => [properties(json)['id'], properties(json)['qr_error']],
  },
  {
    name: 'airtable-to-drive-images',
    startNode: 'Records Without an Image',
    item: (id, name, url) => ({ id, Name: name, 'Target URL': url }),
    linkNode: 'Write Links',
    readLink: ({ id, 'Short Link': link, Error }) => [id, link, Error],
    readError: ({ id, Error }) => [id, Error],
  },
];

describe.each(TABLES)('the rows of $name', ({ name, startNode, item, linkNode, readLink, readError }) => {
  const workflow = unpinned(name, { id: name });
  const items = ROWS.map(([rowName, url], index) => item(`row${index}`, rowName, url));
  const linksOf = (run: RunResult) => outputOf(run, linkNode).map(readLink);

  test('each get a link or an error; a second run creates no second code', async () => {
    const first = await runFrom(workflow, startNode, items);
    expect(first.error).toBeUndefined();
    const links = linksOf(first);
    expect(links).toEqual([
      ['row0', expect.stringMatching(/\/r\/good-\w+$/), ''],
      ['row3', expect.stringMatching(/\/r\/good-too-\w+$/), ''],
    ]);
    expect(outputOf(first, 'Write Error').map(readError)).toEqual([
      ['row1', ROW_ERRORS[0]],
      ['row2', ROW_ERRORS[1]],
    ]);
    const again = await runFrom(workflow, startNode, items.toReversed());
    expect(linksOf(again)).toEqual(links.toReversed());
  });

  test('each get an error when the service refuses them', async () => {
    world.emulator.control.failNext({ code: 'quota_exceeded', match: { method: 'POST' }, times: 2 });
    const refused = ['A', 'B'].map((row) => item(row, row, 'https://example.com/'));
    const run = await runFrom(workflow, startNode, [...refused, item('C', 'C', 'https://example.com/')]);
    world.emulator.control.clearFaults();
    expect(run.error).toBeUndefined();
    const failed = outputOf(run, 'Write Error').map(readError);
    expect(failed).toHaveLength(2);
    for (const [, error] of failed) expect(error).toMatch(/quota/i);
    const done = linksOf(run).map(([id]) => id);
    expect([...done, ...failed.map(([id]) => id)].sort()).toEqual(['A', 'B', 'C']);
  });
});

describe('the daily report', () => {
  const HOUR = 3_600_000;
  const workflow = unpinned('daily-scan-report');

  /** Runs the report for a day. */
  const report = async (day: { from: string; to: string; zone: string }) => {
    const pinData = { Yesterday: [{ json: { ...day, day: 'that day' } }] };
    const run = await world.engine.runWorkflow({ ...workflow, pinData }, { startNode: 'Every Morning' });
    expect(run.error).toBeUndefined();
    const [mail, ...others] = outputOf(run, 'Send Report');
    expect(others).toEqual([]);
    return { run, mail: mail as { subject: string; text: string; html: string } };
  };

  async function scanAt(publicUrl: string, times: readonly number[]): Promise<void> {
    for (const time of times) {
      world.emulator.control.clock.set(time);
      await fetch(publicUrl, { redirect: 'manual' });
    }
  }

  const createCode = async (name: string) => {
    const guest = { Name: name, Email: `${name}@example.com` };
    const run = await runFrom(unpinned('registration-to-ticket'), 'Registration Form', [guest]);
    return outputOf(run, 'Create Ticket Code')[0] as { id: string; publicUrl: string; name: string };
  };

  test.each(['Pacific/Auckland', 'America/New_York', 'UTC'])(
    'is about the day before in %s',
    async (timezone) => {
      const inZone = { ...workflow, settings: { ...workflow.settings, timezone } };
      const pinData = { 'Get Scans': [{ json: {} }] };
      const run = await world.engine.runWorkflow({ ...inZone, pinData }, { startNode: 'Every Morning' });
      const [yesterday] = outputOf(run, 'Yesterday') as {
        from: string;
        to: string;
        day: string;
        zone: string;
      }[];
      expect(yesterday!.zone).toBe(timezone);
      const wallTime = (time: string) =>
        new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'full', timeStyle: 'medium' })
          .format(new Date(time))
          .replace(',', '');
      for (const time of [yesterday!.from, yesterday!.to]) expect(wallTime(time)).toMatch(/00:00:00$/);
      const length = Date.parse(yesterday!.to) - Date.parse(yesterday!.from);
      expect([23, 24, 25]).toContain(length / HOUR);
      expect(wallTime(yesterday!.from)).toContain(yesterday!.day.replace(',', ''));
      expect(outputOf(run, 'Send Report')).toMatchObject([
        {
          subject: 'QR codes: no scans yesterday',
          text: `There were no scans on ${yesterday!.day} (${timezone}).`,
        },
      ]);
    },
  );

  test('counts the scans of that day by code and by hour, also on a day with 25 hours', async () => {
    const day = {
      from: '2026-10-25T00:00:00.000+02:00',
      to: '2026-10-26T00:00:00.000+01:00',
      zone: 'Europe/Berlin',
    };
    const [start, end] = [Date.parse(day.from), Date.parse(day.to)];
    expect(end - start).toBe(25 * HOUR);
    const { clock } = world.emulator.control;
    const now = clock.now();
    clock.set(start - HOUR);
    const many = [];
    for (let index = 0; index < 12; index++) many.push(await createCode(`code${index}`));
    await scanAt(many[0]!.publicUrl, [start - HOUR / 2, start, start + 2.2 * HOUR, start + 3.2 * HOUR]);
    for (const [index, { publicUrl }] of many.entries())
      await scanAt(publicUrl, index === 0 ? [end - HOUR / 2] : [start + 12 * HOUR]);
    await scanAt(many[1]!.publicUrl, [start + 13 * HOUR, end + HOUR]);
    world.emulator.control.delete(many[1]!.id);
    clock.set(now);
    const { mail, run } = await report(day);
    expect(mail.subject).toBe('QR codes: 16 scans yesterday');
    const lines = mail.text.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe('16 scans on that day (Europe/Berlin)');
    expect(lines).toEqual(
      expect.arrayContaining([`${many[0]!.name}: 4`, `${many[1]!.id}: 2`, 'All others: 2']),
    );
    // Both hours at two o'clock count as one.
    expect(lines.slice(lines.indexOf('By hour'))).toEqual(
      expect.arrayContaining(['00:00: 1', '02:00: 2', '11:00: 11', '12:00: 1', '23:00: 1']),
    );
    const bars = [...mail.html.matchAll(/<td width="(\d+)%" bgcolor/g)].map(([, width]) => Number(width));
    expect(bars).toHaveLength(11 + 5);
    expect(Math.max(...bars)).toBe(85);
    expect(mail.html).not.toMatch(/<(?:img|script|svg|link)\b/);
    expect(outputOf(run, 'Get Names')).toHaveLength(10);
  });

  test('says that the scans could not be read, and why', async () => {
    world.emulator.control.failNext({ code: 'insufficient_scope', match: { path: '/scans' } });
    const day = { from: '2026-01-14T00:00:00.000Z', to: '2026-01-15T00:00:00.000Z', zone: 'UTC' };
    const { mail } = await report(day);
    expect(mail.subject).toBe('QR codes: the report failed');
    expect(mail.text).toMatch(/^The scans couldn't be read\. Reason: .*scope/);
  });

  test('escapes names, and says how many scans have no time', async () => {
    const scans = [
      { id: '1', qrId: 'a', scannedAt: '2026-01-14T10:00:00.000Z' },
      { id: '2', qrId: 'a', scannedAt: null },
      { id: '3', scannedAt: '2026-01-14T11:00:00.000Z' },
    ];
    const { pinData } = example('daily-scan-report');
    const pins = {
      Yesterday: pinData!['Yesterday']!,
      'Get Scans': scans.map((json) => ({ json })),
      'Get Names': [{ json: { name: 'A & <b>' } }, { json: { error: 'QR code is empty' } }],
    };
    const run = await world.engine.runWorkflow(
      { ...workflow, pinData: pins },
      { startNode: 'Every Morning' },
    );
    const [mail] = outputOf(run, 'Send Report') as { html: string; text: string }[];
    expect(mail!.html).toContain('A &amp; &lt;b>');
    expect(mail!.text).toContain('Unknown code: 1');
    for (const text of [mail!.html, mail!.text])
      expect(text).toContain("Scans without a time, which aren't counted: 1");
  });
});
