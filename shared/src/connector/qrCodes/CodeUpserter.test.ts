import { startVirtualTime } from '../../../../test/support/jest/virtualTime.ts';
import { apiError } from '../../../../test/support/modelService/apiError.ts';
import * as support from '../../../../test/support/modelService/upsertService.ts';
import type { QrCode } from '../../contract/types.ts';
import type { FinderOptions } from './CodeFinder.ts';
import { CodeMemory } from './CodeMemory.ts';
import { CodeUpserter, conflictingRows, type UpsertResult, type UpsertRow } from './CodeUpserter.ts';

const { A, B, named, row } = support;

let service: support.UpsertService;
beforeEach(() => {
  service = new support.UpsertService();
});
afterEach(() => jest.restoreAllMocks());

const start = (options?: FinderOptions) => support.startRun(service, options);
const run = (rows: readonly UpsertRow[], options?: FinderOptions) => support.runRows(service, rows, options);
const fails = (rows: readonly UpsertRow[], error: object, options?: FinderOptions) =>
  expect(run(rows, options)).rejects.toMatchObject(error);
const outcomes = (results: UpsertResult[]) => results.map(({ outcome }) => outcome);
const reads = () => service.take().filter((request) => /^(get|list)/.test(request));
const writes = () => service.take().filter((request) => /^(create|publish|retarget)/.test(request));
/** What became of the rows: outcomes, codes and targets, then what was sent. */
const done = async (rows: readonly UpsertRow[], options?: FinderOptions) => {
  const results = await run(rows, options);
  return [
    ...results.map(({ outcome, code }) => `${outcome} ${code.id} ${String(code['targetUrl'])}`),
    ...writes(),
  ];
};
const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;

/** A process that remembers its earlier runs. */
const oneProcess = () => ({ memory: new CodeMemory() });
const PROCESSES = [
  ['the same process', oneProcess],
  ['other processes', () => ({})],
] as const;

describe('a code that exists', () => {
  // Reports of second records for names from sheets, chats and PDFs that only look alike: see `ignoreCase`.
  it.each<[string, Partial<UpsertRow>]>([
    ['its ID', { code: 'qr1' }],
    ['its API URL', { code: 'https://api.example/v1/public-api/qr/qr1' }],
    ['its short link as printed', { code: ' R.example/qr1/ ' }],
    ['its name', { name: 'Café', matchBy: 'name' }],
    ['a name that looks alike', { name: ' CAFE\u0301\u200B\n', matchBy: 'name' }],
  ])('is found by %s, and pointed to the target once', async (_how, fields) => {
    service.add({ id: 'qr1', name: 'Café' });
    const one = row({ name: 'Other', targetUrl: B, ...fields });
    expect(await done([one, one])).toEqual([`updated qr1 ${B}`, `unchanged qr1 ${B}`, `retarget qr1 ${B}`]);
    expect(service.codes[0]?.name).toBe('Café');
  });

  it.each(['{{name}}', '#REF!', 'Caf\uFFFD'])(
    'may have the name %s, which a new code may not have',
    async (name) => {
      service.add({ id: 'qr1', name });
      expect(outcomes(await run([named(name), row({ code: 'qr1', name: '{{other}}' })]))).toEqual([
        'updated',
        'unchanged',
      ]);
      const message = matching(/^Name (contains|is) /);
      service.take();
      await fails([row({ name })], { message });
      expect(service.take()).toEqual([]);
      await fails([named(`[object Object]`)], { message });
      expect(writes()).toEqual([]);
    },
  );

  it.each(['Cafe', 'Caf', 'Café.', 'Ca-fé', 'Саfé'])('is not found by the name %s', async (name) => {
    service.add({ id: 'qr1', name: 'Café' });
    expect(outcomes(await run([named(name)]))).toEqual(['created']);
  });

  it('is the one in the same case that is not archived, and never chosen among several', async () => {
    service.add({ id: 'qr0', name: 'MENU', status: 'archived' });
    service.add({ id: 'qr1', name: 'Menu' });
    service.add({ id: 'qr2', name: 'MENU' });
    expect(await done([named('MENU')])).toEqual([`updated qr2 ${A}`, `retarget qr2 ${A}`]);
    await fails([named('menu')], { code: 'ambiguous_name', advice: matching(/qr1.*qr2/) });
    // One that this process has created counts before a list shows it.
    const options = oneProcess();
    options.memory.setCreated(service.add({ id: 'new', name: 'Bar' }), 'Bar');
    service.unlisted.add('new');
    service.add({ id: 'other', name: 'Bar' });
    await fails([named('Bar')], { code: 'ambiguous_name' }, options);
    expect(writes()).toEqual([]);
  });

  it('is published if it is a draft, after it points to the target, whatever target it shows', async () => {
    const shown = { targetUrl: B, content: { targetUrl: B } };
    service.add({ id: 'qr1', status: 'draft', ...shown });
    const sent = [`retarget qr1 ${B}`, 'publish qr1'];
    expect(await done([row({ code: 'qr1', targetUrl: B })])).toEqual([`updated qr1 ${B}`, ...sent]);
  });

  const MENU = 'QR code "Menu" (ID qr1, https://r.example/qr1)';
  // Reports of printed codes that open themselves: the column with the short links was mapped as the target.
  it.each<[Partial<QrCode>, targetUrl: string, problem: string, advice: RegExp]>([
    [{ status: 'archived' }, A, `The ${MENU} is archived.`, /It was not changed\./],
    [
      {},
      'HTTPS://R.example/qr1/?utm_source=print',
      `The destination of the ${MENU} is its own short link.`,
      /^Nothing was/,
    ],
  ])(
    'is refused without a write if it is %j and its target %s',
    async (fields, targetUrl, message, advice) => {
      service.add({ id: 'qr1', name: 'Menu', ...fields });
      for (const one of [row({ code: 'qr1', targetUrl }), named('Menu', targetUrl)])
        await fails([one], { message, advice: matching(advice) });
      expect(writes()).toEqual([]);
    },
  );

  it('is refused if its target is a code that is known to lead back, and may point to any other code', async () => {
    for (const id of ['qr1', 'qr2', 'qr3']) service.add({ id });
    service.add({ id: 'qr4', publicUrl: '' });
    const pointed = (id: string, to: string) => row({ code: id, targetUrl: `https://r.example/${to}` });
    const options = { ...oneProcess(), lookups: 10 };
    await run([pointed('qr1', 'qr2')], options);
    const message = matching(/ID qr2, .* is the short link of .*ID qr1, .*, which leads back to it\.$/);
    await fails([pointed('qr2', 'qr1')], { message }, options);
    expect(writes()).toHaveLength(1);
    await run([pointed('qr3', 'qr1'), pointed('qr4', 'qr2')], options);
  });

  it.each([
    ['archived', { status: 'archived' }, { message: matching(/^The destination of .* was updated\.$/) }],
    ['renamed', { name: 'Old menu' }, { advice: matching(/^Its destination was updated\. /) }],
  ])('is reported as changed if it is %s meanwhile', async (code, fields, error) => {
    service.add({ id: 'qr1', name: 'Menu' });
    service.whileListing = () => service.change('qr1', fields);
    await fails([named('Menu', B)], { code, ...error });
  });

  it.each([
    ['its update fails', 'retarget', 'published', apiError(404, 'not_found')],
    ['its update fails while it is a draft', 'retarget', 'draft', apiError(504, 'http_504')],
    ['a proxy responds with a 404', 'get', 'published', apiError(404, 'http_404', 'text/html')],
    ['the key may not read codes', 'get', 'published', apiError(403, 'insufficient_scope')],
  ])('fails with the reason, and is not created again, if %s', async (_why, method, status, error) => {
    service.add({ id: 'qr1', status });
    service.failures[method] = [error];
    await expect(run([row({ code: 'qr1' })])).rejects.toBe(error);
    expect(service.codes.length).toBe(1);
  });
});

describe('a code that does not exist', () => {
  const NEW: Partial<UpsertRow>[] = [{}, { code: '  ' }, { matchBy: 'name' }];
  it.each(NEW)('is created and published for a row with %j', async (fields) => {
    expect(await done([row(fields)])).toEqual([`created new0 ${A}`, 'create Table 4', 'publish new0']);
    expect(service.codes[0]).toMatchObject({ name: 'Table 4', status: 'published' });
  });

  it.each<[string, string]>([
    ['qr0', "QR code qr0 doesn't exist."],
    ['N/A', 'No QR code has the short link N/A.'],
    ['https://r.example/qr0', 'No QR code has the short link https://r.example/qr0.'],
  ])('is never created if a row names it by ID or link: %s', async (code, message) => {
    service.add({ id: 'qr1', name: 'Menu' });
    const advice = 'Use the ID or the short link of a QR code, not its name or slug.';
    for (const name of ['Table 4', 'Menu', ''])
      await fails([{ ...named(name), code }], { code: 'not_found', message, advice });
    expect(writes()).toEqual([]);
  });

  it.each<[string, UpsertRow, error: object]>([
    ['an ID without a name', row({ name: ' ' }), { message: 'Name is empty.' }],
    ['an empty name', named(' '), { message: 'Name is empty.' }],
  ])('is not even looked up for %s', async (_what, one, error) => {
    await fails([one], error);
    expect(service.take()).toEqual([]);
  });
});

describe('a code that was just created, while no read shows it', () => {
  it.each(PROCESSES)('is created once by %s, and leaves its name free later', async (_which, options) => {
    const process = options();
    const now = jest.spyOn(Date, 'now').mockReturnValue(0);
    await run([named('Menu')], process);
    service.hide();
    now.mockReturnValue(599_999);
    await run([named('Menu')], process).catch(() => undefined);
    expect(service.codes.length).toBe(1);
    now.mockReturnValue(600_000);
    expect(await done([named('Menu')], process)).toContain(`created new1 ${A}`);
  });

  it('is found by its ID or short link by the process that created it', async () => {
    const options = oneProcess();
    await run([named('Table 4'), named('Table 5')], options);
    service.hide();
    const results = await run([row({ code: 'new0' }), row({ code: 'r.example/new1?utm_source=x' })], options);
    expect(results.map(({ code }) => code.id)).toEqual(['new0', 'new1']);
  });

  it.each([
    ['renamed', 'renamed', () => service.change('new0', { name: 'Old menu' })],
    ['deleted', 'not_visible', () => service.remove('new0')],
  ])('is told from a new one if it was %s', async (_what, code, change) => {
    await run([named('Menu')]);
    change();
    await fails([named('Menu')], { code });
    expect(writes().filter((request) => request === 'create Menu')).toHaveLength(2);
    expect(service.codes.length).toBeLessThan(2);
  });

  it('is pointed to the target again if its creation is replayed, and fails a row with another target', async () => {
    await run([named('Menu'), named('Menu', B)]);
    service.unlisted.add('new0');
    await run([named('Menu')]);
    expect(service.targets.get('new0')).toBe(A);
    await fails([named('Menu', B)], { code: 'not_listed' });
    expect(service.codes.length).toBe(1);
  });

  it('is named if its creation is replayed and it cannot be updated, and published by the next run', async () => {
    service.failures['publish'] = [apiError(422, 'approval_required')];
    await fails([named('Menu')], { code: 'not_published' });
    service.hide();
    service.failures['retarget'] = [apiError(504, 'http_504')];
    await fails([named('Menu')], { code: 'not_published', qrCode: { id: 'new0' } });
    expect(await done([named('Menu')])).toContain(`created new0 ${A}`);
  });

  it('is found after a conflict with another process, if the changes show it by then', async () => {
    // The ten minutes before the newest code are read again.
    for (const [id, time] of Object.entries({ old: '23:00', near: '23:45', newest: '23:50' }))
      service.add({ id, updatedAt: `2025-12-31T${time}:00.000Z` });
    const runs = [named('Menu'), named('Menu', B)].map((one) => start()(one));
    expect(outcomes(await Promise.all(runs)).sort()).toEqual(['created', 'updated']);
    expect(service.listed.at(-1)).toEqual(['near', 'newest', 'new3']);
  });

  it('is shared by two runs of a process, one after the other', async () => {
    const options = oneProcess();
    service.isLate = true;
    const runs = [named('Menu'), named('Menu', B)].map((one) => start(options)(one));
    expect(outcomes(await Promise.all(runs))).toEqual(['created', 'updated']);
    expect(service.targets.get('new0')).toBe(B);
  });
});

it.each([
  ['a code', row({ code: 'qr1' })],
  ['a new name', named('Menu')],
])('a stopped run does not wait for another run of its process to change %s', async (_what, one) => {
  service.add({ id: 'qr1', name: 'Door' });
  const options = oneProcess();
  const { promise: limited, resolve: endLimit } = Promise.withResolvers<unknown>();
  const { create, retarget } = service.qr;
  service.qr.create = (...call) => limited.then(() => create(...call));
  service.qr.retarget = (...call) => limited.then(() => retarget(...call));
  const stop = new AbortController();
  const settled = () => new Promise(setImmediate);
  const first = start(options)(one);
  await settled();
  const second = start({ ...options, signal: stop.signal })({ ...one, targetUrl: B });
  await settled();
  const third = start(options)(one);
  stop.abort();
  await expect(second).rejects.toMatchObject({ code: 'aborted', unsent: true });
  expect(writes()).toEqual([]);
  endLimit(undefined);
  const [{ code }] = await Promise.all([first, third]);
  expect(service.targets.get(code.id)).toBe(A);
  expect(writes().join()).not.toContain(B);
});

describe('rows of one run', () => {
  it.each([
    ['drafts', 'retarget', [row({ code: 'qr1' }), row({ code: 'qr2' })]],
    ['new names', 'create', [named('One'), named('Two')]],
    ['codes that no row names', 'create', [row(), row()]],
  ])('about different %s run at once, with the options of each write', async (_what, first, rows) => {
    for (const id of ['qr1', 'qr2']) service.add({ id, status: 'draft' });
    // An even number of reads, after which the first write takes longer than the second.
    service.pageSize = 1;
    const asked = jest.fn(() => ({}));
    const upserter = new CodeUpserter(service.qr);
    await Promise.all(rows.map((one) => upserter.upsert(one, asked)));
    expect(asked.mock.calls.flat()).toEqual([first, first, 'publish', 'publish']);
  });

  it('that name the same new code create it once, and the last one wins', async () => {
    const sent = ['create  Café 1 ', 'publish new0', `retarget new0 ${B}`];
    const results = await done([named(' Café 1 '), named('CAFE\u0301\u00A01', B)]);
    expect(results).toEqual([`created new0 ${A}`, `updated new0 ${B}`, ...sent]);
  });

  it('that name the same code in several ways run in order, and say where it pointed before', async () => {
    service.add({ id: 'qr1', name: 'Menu' });
    const targets = ['1', '2', '3', '4'].map((query) => `${A}?${query}`);
    const ways = [{ code: 'r.example/qr1' }, { code: 'qr1' }, named('Menu'), { code: 'qr1' }];
    const results = await run(ways.map((way, at) => row({ ...way, targetUrl: targets[at]! })));
    expect(results.map(({ previousUrl }) => previousUrl)).toEqual([undefined, ...targets.slice(0, 3)]);
    expect(writes()).toEqual(targets.map((url) => `retarget qr1 ${url}`));
  });

  it('try in turn if the first fails', async () => {
    const failure = apiError(500, 'http_500');
    service.failures['create'] = [failure];
    const results = await Promise.allSettled([named('Menu'), named('Menu')].map(start()));
    expect(results).toMatchObject([{ reason: failure }, { status: 'fulfilled' }]);
    expect(service.codes.length).toBe(1);
  });

  it('do not trust what was known before a write whose response was lost', async () => {
    service.add({ id: 'qr1' });
    service.losesResponses = true;
    service.failures['retarget'] = [undefined, apiError(504, 'http_504')];
    const rows = [A, B, A].map((targetUrl) => row({ code: 'qr1', targetUrl }));
    const results = await Promise.allSettled(rows.map(start()));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(service.targets.get('qr1')).toBe(A);
  });

  it('read the list once, whatever their number, and again if that failed', async () => {
    service.failures['list'] = [apiError(500, 'http_500')];
    const upsert = start();
    await expect(upsert(named('Table 0'))).rejects.toMatchObject({ code: 'http_500' });
    for (let at = 0; at < 300; at++) service.add({ id: `qr${at}`, name: `Table ${at}` });
    service.take();
    const rows = Array.from({ length: 1000 }, (_, at) => named(`Table ${at % 700}`));
    const results = await Promise.all(rows.map(upsert));
    expect(outcomes(results).filter((outcome) => outcome === 'created')).toHaveLength(400);
    expect(service.codes.length).toBe(700);
    expect(reads()).toEqual(['list', 'list', 'list']);
  });

  const SEVEN = [5, 6, 7, 8, 9, 10, 11].map((at) => `get qr${at}`);
  it.each([
    ['fetch a few codes by ID', 3, 100, ['get qr0', 'get qr1', 'get qr2']],
    ['list many, and fetch those that no list shows', 40, 100, ['list', 'get qr7']],
    ['read no more pages than one for ten IDs', 12, 5, ['list', ...SEVEN]],
  ])('%s', async (_what, count, pageSize, expected) => {
    service.pageSize = pageSize;
    const ids = Array.from({ length: 40 }, (_, at) => `qr${at}`);
    for (const id of ids) service.add({ id });
    if (pageSize === 100) service.unlisted.add('qr7');
    await run(ids.slice(0, count).map((code) => row({ code })));
    expect(reads()).toEqual(expected);
  });

  it('fail rather than create a duplicate if there is no time to read the whole list', async () => {
    const time = startVirtualTime();
    service.pageSize = 1;
    service.whileListing = () => time.advance(400);
    for (let at = 0; at < 9; at++) service.add({ id: `qr${at}`, name: `Table ${at}` });
    const upsert = start({ searchMs: 1000 });
    // A later code may have the name of an earlier one as well.
    for (const name of ['Table 1', 'Table 8', 'None'])
      await expect(upsert(named(name))).rejects.toMatchObject({ code: 'search_limit' });
    expect(reads()).toEqual(['list', 'list', 'list']);
    for (const code of ['qr8', 'r.example/qr1'])
      expect(await upsert(row({ code }))).toMatchObject({ outcome: 'updated' });
    expect(service.take()).not.toContain('list');
  });
});

describe('the next run', () => {
  it.each<[string, (result: UpsertResult) => UpsertRow]>([
    ['name', ({ code }) => named(code.name)],
    ['ID', ({ code }) => row({ code: code.id })],
    ['link', ({ code }) => row({ code: code.publicUrl })],
  ])('sends no POST and few requests for 200 unchanged rows by %s', async (_by, rowFor) => {
    const options = oneProcess();
    const rows = Array.from({ length: 200 }, (_, at) => named(`Table ${at}`));
    const first = await run(rows, options);
    service.take();
    for (const { outcome, code } of await run(first.map(rowFor), options))
      expect([outcome, code.status, code['targetUrl']]).toEqual(['unchanged', 'published', A]);
    expect(service.take()).toEqual(['list', 'list']);
  });

  it.each<[string, () => unknown]>([
    ['somebody pointed it elsewhere', () => service.retarget('qr1', B)],
    ['somebody renamed it', () => service.change('qr1', { name: 'Menu' })],
    ['somebody unpublished it', () => service.change('qr1', { status: 'draft' })],
  ])('does not trust its memory after %s', async (_what, change) => {
    const options = oneProcess();
    service.add({ id: 'qr1' });
    await run([row({ code: 'qr1' })], options);
    change();
    await run([row({ code: 'qr1', targetUrl: B })], options);
    const [result] = await run([row({ code: 'qr1' })], options);
    expect(result).toMatchObject({ outcome: 'updated', code: { status: 'published' } });
    expect(service.targets.get('qr1')).toBe(A);
  });

  it.each(PROCESSES)('publishes a code whose publication failed, in %s', async (_which, options) => {
    const process = options();
    service.failures['publish'] = [1, 2].map(() => apiError(422, 'approval_required'));
    for (let time = 0; time < 2; time++)
      await fails([named('Menu')], { code: 'not_published', qrCode: { id: 'new0' } }, process);
    const [result] = await run([named('Menu')], process);
    expect(result).toMatchObject({ outcome: 'updated', code: { id: 'new0', status: 'published' } });
    expect([service.codes.length, service.targets.get('new0')]).toEqual([1, A]);
  });
});

// Reports of sheets in which one name stands for two things: the last of them took over the printed code.
it.each<[string, UpsertRow[], number[]]>([
  ['with one name and different targets', [named('Menu'), named('Door'), named(' Menu', B)], [0, 2]],
  ['of which only one has another target', [named('Menu'), named('Menu'), named('Menu', B)], [0, 1, 2]],
  ['with names that look alike', [named('Menu 1'), named('menu\u00A01', B)], [0, 1]],
  ['but not those with one target', [named('Menu'), named('Menu', 'HTTPS://example.com/a')], []],
  ['but not those that match by ID', [row({ code: 'qr1' }), row({ code: 'qr1', targetUrl: B })], []],
  ['but not one with an ID', [named('Table 4', B), { ...named('Table 4'), code: 'qr1' }], []],
])('rows that contradict each other are found: %s', (_what, rows, expected) => {
  const errors = conflictingRows(new Map(rows.entries()), (at) => `row ${at + 1}`);
  expect([...errors.keys()]).toEqual(expected);
  const targets = `"${A}" in row ${expected[0]! + 1} and "${B}" in row ${expected.at(-1)! + 1}.`;
  const error = {
    code: 'conflicting_rows',
    message: matching(RegExp(`^The name "Menu.* two destinations: ${targets}`)),
  };
  for (const found of errors.values()) expect(found).toMatchObject(error);
});
