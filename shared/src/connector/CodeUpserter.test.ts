import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import {
  A,
  apiError,
  B,
  LateService,
  named,
  row,
  runRows,
  startRun,
} from '../../../test/support/lateService.ts';
import { CodeMemory } from './CodeMemory.ts';
import { conflictingRows, type UpsertResult, type UpsertRow } from './CodeUpserter.ts';
import { describeError } from './describeError.ts';

const TEN_MINUTES = 600_000;

let service: LateService;
beforeEach(() => {
  service = new LateService();
});
afterEach(() => jest.restoreAllMocks());

const describeAll = (error: unknown) => JSON.stringify(describeError(error));
const outcomes = (results: UpsertResult[]) => results.map(({ outcome }) => outcome);
const summary = ({ outcome, code }: UpsertResult) => [outcome, code.id, code['targetUrl']];
const reads = (requests: string[]) => requests.filter((request) => /^(get|list)/.test(request));
const writes = (requests: string[]) =>
  requests.filter((request) => /^(create|publish|retarget)/.test(request));

/** Each test with a process that remembers its earlier runs, and with processes that remember nothing. */
const PROCESSES = [
  ['the same process', () => ({ memory: new CodeMemory() })],
  ['other processes', () => ({})],
] as const;

describe('a code that exists', () => {
  it.each<[string, Partial<UpsertRow>]>([
    ['its ID', { code: 'qr1' }],
    ['its API URL', { code: 'https://api.example/v1/public-api/qr/qr1' }],
    ['its short link', { code: 'https://r.example/qr1' }],
    ['its short link as printed', { code: ' R.example/qr1/ ' }],
    ['its name', { name: 'Café', matchBy: 'name' }],
  ])('is found by %s and pointed to the target', async (_how, fields) => {
    service.add({ id: 'qr1', name: 'Café' });
    const [result] = await runRows(service, [row({ name: 'Other', targetUrl: B, ...fields })]);
    expect(result).toMatchObject({ outcome: 'updated', code: { id: 'qr1', name: 'Café', targetUrl: B } });
    expect(writes(service.take())).toEqual([`retarget qr1 ${B}`]);
  });

  // Names from sheets, chats and PDFs that only look alike.
  it.each([
    ['spaces around it', "  Anna's Café, Table-4\n"],
    ['a doubled space', "Anna's  Café, Table-4"],
    ['a no-break space', "Anna's\u00A0Café, Table-4"],
    ['a narrow no-break space', "Anna's\u202FCafé, Table-4"],
    ['a tab', "Anna's\tCafé, Table-4"],
    ['a line break', "Anna's\r\nCafé, Table-4"],
    ['a soft hyphen', "An\u00ADna's Café, Table-4"],
    ['a zero-width space', "Anna's\u200B Café, Table-4"],
    ['a byte order mark', "\uFEFFAnna's Café, Table-4"],
    ['a direction mark', "\u200EAnna's Café, Table-4\u200F"],
    ['the encoding of an accent', "Anna's Cafe\u0301, Table-4"],
    ['case', "anna's CAFÉ, table-4"],
    // Autocorrection in spreadsheets and on phones made second records of imported ones.
    ['a curly apostrophe', 'Anna\u2019s Café, Table-4'],
    ['a hyphen that does not break', "Anna's Café, Table\u20114"],
  ])('is found by a name that differs only in %s', async (_what, name) => {
    service.add({ id: 'qr1', name: "Anna's Café, Table-4" });
    service.add({ id: 'qr2', name: 'Other' });
    const results = await runRows(service, [named(name), named("Anna's Café, Table-4")]);
    expect(results.map(summary)).toEqual([
      ['updated', 'qr1', A],
      ['unchanged', 'qr1', A],
    ]);
  });

  it.each([
    ['an accent', 'Cafe'],
    ['a part of it', 'Caf'],
    ['a dot', 'Café.'],
    ['a hyphen', 'Ca-fé'],
    ['a space', 'Ca fé'],
    ['a letter of another script', 'Саfé'],
    ['an emoji', 'Café 👨\u200D🍳'],
  ])('is not found by a name that differs in %s', async (_what, name) => {
    service.add({ id: 'qr1', name: 'Café' });
    expect(outcomes(await runRows(service, [named(name)]))).toEqual(['created']);
  });

  it('is the one in the same case that is not archived, and refused if several differ only in case', async () => {
    service.add({ id: 'qr0', name: 'MENU', status: 'archived' });
    service.add({ id: 'qr1', name: 'Menu' });
    service.add({ id: 'qr2', name: 'MENU' });
    expect((await runRows(service, [named('MENU')])).map(({ code }) => code.id)).toEqual(['qr2']);
    await expect(runRows(service, [named('menu')])).rejects.toMatchObject({
      code: 'ambiguous_name',
      advice: expect.stringMatching(/qr1.*qr2/) as string,
    });
  });

  it('is published if it is a draft, after it points to the target', async () => {
    service.add({ id: 'qr1', status: 'draft' });
    const [result] = await runRows(service, [row({ code: 'qr1', targetUrl: B })]);
    expect(result).toMatchObject({ outcome: 'updated', code: { status: 'published' } });
    expect(writes(service.take())).toEqual([`retarget qr1 ${B}`, 'publish qr1']);
  });

  it('is refused without a write if it is archived', async () => {
    service.add({ id: 'qr1', name: 'Old', status: 'archived' });
    for (const one of [row({ code: 'qr1' }), named('Old')])
      await expect(runRows(service, [one])).rejects.toMatchObject({
        code: 'archived',
        message: 'The QR code "Old" (ID qr1, https://r.example/qr1) is archived.',
        advice: expect.stringContaining('It was not changed.') as string,
      });
    expect(writes(service.take())).toEqual([]);
  });

  // Somebody mapped the column with the short links.
  it.each(['https://r.example/qr1', 'HTTPS://R.example/qr1/?utm_source=print'])(
    'is refused without a write if its target is its own short link: %s',
    async (targetUrl) => {
      service.add({ id: 'qr1', name: 'Menu' });
      for (const one of [row({ code: 'qr1', targetUrl }), named('Menu', targetUrl)])
        await expect(runRows(service, [one])).rejects.toMatchObject({
          message: 'The target of the QR code "Menu" (ID qr1, https://r.example/qr1) is its own short link.',
          advice: expect.stringContaining('Nothing was sent.') as string,
        });
      expect(writes(service.take())).toEqual([]);
    },
  );

  it('is refused if its target is a code that is known to lead back, and may point to any other code', async () => {
    service.add({ id: 'qr1', name: 'Menu' });
    service.add({ id: 'qr2', name: 'Door' });
    const options = { memory: new CodeMemory() };
    await runRows(service, [named('Menu', 'https://r.example/qr2')], options);
    await expect(runRows(service, [named('Door', 'https://r.example/qr1')], options)).rejects.toMatchObject({
      message: expect.stringMatching(
        /"Door".* is the short link of .*"Menu".*, which leads back to it\.$/,
      ) as string,
    });
    expect(writes(service.take())).toEqual(['retarget qr1 https://r.example/qr2']);
  });

  it('is not even looked up if the target is not allowed', async () => {
    service.add({ id: 'qr1' });
    const outside = row({ code: 'qr1', targetUrl: 'https://evil.test' });
    await expect(runRows(service, [outside])).rejects.toMatchObject({ code: 'target_not_allowed' });
    expect(service.take()).toEqual([]);
  });

  it('is never chosen among several with the same name: the error names them', async () => {
    for (let at = 1; at <= 7; at++) service.add({ id: `qr${at}`, name: 'Menu' });
    await expect(runRows(service, [named('Menu')])).rejects.toMatchObject({
      code: 'ambiguous_name',
      message: '7 QR codes have the name "Menu".',
      advice: expect.stringMatching(/: "Menu" \(ID qr1, https:.*qr1\), .* and 2 more\.$/) as string,
    });
    // One that this process has created counts before a list shows it.
    const memory = new CodeMemory();
    memory.setCreated(service.add({ id: 'new', name: 'Door' }), 'Door');
    service.hidden.add('new');
    service.add({ id: 'qr8', name: 'Door' });
    await expect(runRows(service, [named('Door')], { memory })).rejects.toMatchObject({
      message: '2 QR codes have the name "Door".',
    });
    expect(writes(service.take())).toEqual([]);
  });

  it.each([
    ['archived', { status: 'archived' }],
    ['renamed', { name: 'Old menu' }],
  ])('is reported as changed if it is %s meanwhile', async (code, fields) => {
    service.add({ id: 'qr1', name: 'Menu' });
    const retarget = service.qr.retarget.bind(service.qr);
    service.qr.retarget = async (...call) => {
      service.change('qr1', fields);
      return retarget(...call);
    };
    const error: unknown = await runRows(service, [named('Menu', B)]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(describeAll(error)).toContain('was updated');
  });

  it.each(['draft', 'published'])(
    'fails with the reason if its update fails and it is %s',
    async (status) => {
      service.add({ id: 'qr1', status });
      service.failures['retarget'] = [apiError(504, 'http_504')];
      await expect(runRows(service, [row({ code: 'qr1' })])).rejects.toMatchObject({ code: 'http_504' });
    },
  );
});

describe('a code that does not exist', () => {
  it.each<[string, Partial<UpsertRow>]>([
    ['nothing names it', {}],
    ['an empty reference names it', { code: '  ' }],
    ['an unknown name names it', { matchBy: 'name' }],
  ])('is created and published if %s', async (_how, fields) => {
    const [result] = await runRows(service, [row(fields)]);
    const code = { id: 'new0', name: 'Table 4', status: 'published', targetUrl: A };
    expect(result).toMatchObject({ outcome: 'created', code });
    expect(writes(service.take())).toEqual(['create Table 4', 'publish new0']);
  });

  it.each<[string, string]>([
    ['qr0', "QR code qr0 doesn't exist."],
    ['N/A', 'No QR code has the short link N/A.'],
    ['https://r.example/qr0', 'No QR code has the short link https://r.example/qr0.'],
  ])('is never created if a row names it by ID or link: %s', async (code, message) => {
    service.add({ id: 'qr1', name: 'Menu' });
    for (const name of ['Table 4', 'Menu', ''])
      await expect(runRows(service, [{ ...named(name), code }])).rejects.toMatchObject({
        code: 'not_found',
        message,
        advice: 'Use the ID or the short link of a QR code, not its name or slug.',
      });
    expect(writes(service.take())).toEqual([]);
  });

  it('is not created without a name', async () => {
    for (const one of [row({ name: ' ' }), named(' ')])
      await expect(runRows(service, [one])).rejects.toMatchObject({ message: 'Name is empty.' });
    expect(service.take()).toEqual([]);
  });

  it("is created by each of two rows that don't name it", async () => {
    expect(outcomes(await runRows(service, [row(), row()]))).toEqual(['created', 'created']);
    expect(service.codes.size).toBe(2);
  });

  it.each([
    ['a proxy responds with a 404', apiError(404, 'http_404', 'text/html')],
    ['the key may not read codes', apiError(403, 'insufficient_scope')],
  ])('is not created if %s', async (_why, error) => {
    service.failures['get'] = [error];
    await expect(runRows(service, [row({ code: 'qr1' })])).rejects.toBe(error);
    expect(service.codes.size).toBe(0);
  });
});

describe('a code that was just created, while no read shows it', () => {
  it.each(PROCESSES)('is not created again by %s', async (_which, options) => {
    const process = options();
    await runRows(service, [named('Menu')], process);
    service.showNone();
    await runRows(service, [named('Menu')], process).catch(() => undefined);
    expect(service.codes.size).toBe(1);
  });

  it('is found by its ID or short link by the process that created it', async () => {
    const memory = new CodeMemory();
    await runRows(service, [named('Table 4'), named('Table 5')], { memory });
    service.showNone();
    const rows = [row({ code: 'new0' }), row({ code: 'r.example/new1?utm_source=x' })];
    const results = await runRows(service, rows, { memory });
    expect(results.map(({ code }) => code.id)).toEqual(['new0', 'new1']);
  });

  it.each([
    ['renamed', 'renamed', () => service.change('new0', { name: 'Old menu' })],
    ['deleted', 'not_visible', () => service.codes.clear()],
  ])('is told from a new one if it was %s', async (_what, code, change) => {
    await runRows(service, [named('Menu')]);
    change();
    const memory = new CodeMemory();
    await expect(runRows(service, [named('Menu')], { memory })).rejects.toMatchObject({ code });
    expect(writes(service.take()).filter((request) => request === 'create Menu')).toHaveLength(2);
    expect(service.codes.size).toBeLessThan(2);
  });

  it.each(PROCESSES)('leaves its name free after ten minutes, for %s', async (_which, options) => {
    const process = options();
    await runRows(service, [named('Menu')], process);
    service.change('new0', { name: 'Old menu' });
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + TEN_MINUTES);
    const [result] = await runRows(service, [named('Menu')], process);
    expect(result && summary(result)).toEqual(['created', 'new1', A]);
  });

  it('is pointed to the target again if its creation is replayed', async () => {
    await runRows(service, [named('Menu'), named('Menu', B)]);
    service.hidden.add('new0');
    await runRows(service, [named('Menu')]);
    expect(service.target('new0')).toBe(A);
  });

  it('is found after a conflict with another process, if the changes show it by then', async () => {
    // Older than what is read again.
    service.add({ id: 'old', updatedAt: '2025-12-31T23:00:00.000Z' });
    service.add({ id: 'late', updatedAt: '2025-12-31T23:50:00.000Z' });
    const runs = [named('Menu'), named('Menu', B)].map((one) => startRun(service)(one));
    expect(outcomes(await Promise.all(runs)).sort()).toEqual(['created', 'updated']);
    expect(service.codes.size).toBe(3);
    expect(service.listed).toEqual([
      ['old', 'late'],
      ['old', 'late'],
      ['late', 'new2'],
    ]);
  });

  it('fails a row of another process that wants another target', async () => {
    await runRows(service, [named('Menu')]);
    service.hidden.add('new0');
    await expect(runRows(service, [named('Menu', B)])).rejects.toMatchObject({ code: 'not_listed' });
    expect(service.codes.size).toBe(1);
  });

  it('is shared by two runs of a process, one after the other', async () => {
    const memory = new CodeMemory();
    service.isLate = true;
    const runs = [named('Menu'), named('Menu', B)].map((one) => startRun(service, { memory })(one));
    expect((await Promise.all(runs)).map(summary)).toEqual([
      ['created', 'new0', A],
      ['updated', 'new0', B],
    ]);
    expect(service.target('new0')).toBe(B);
  });
});

describe('rows of one run', () => {
  it.each([
    ['Café', 'Cafe\u0301'],
    [' Menu 1 ', 'MENU\u00A01'],
  ])('that name the same new code %j and %j create it once, and the last one wins', async (one, other) => {
    const results = await runRows(service, [named(one), named(other, B)]);
    expect(results.map(summary)).toEqual([
      ['created', 'new0', A],
      ['updated', 'new0', B],
    ]);
    expect([service.codes.size, service.target('new0')]).toEqual([1, B]);
  });

  it('that name the same code in several ways run in order, and say where it pointed before', async () => {
    service.add({ id: 'qr1', name: 'Menu' });
    const ways = [{ code: 'r.example/qr1' }, { code: 'qr1' }, named('Menu'), { code: 'qr1' }];
    const targets = [B, A, B, A].map((url, at) => `${url}?${at}`);
    const results = await runRows(
      service,
      ways.map((way, at) => row({ ...way, targetUrl: targets[at] ?? A })),
    );
    expect(outcomes(results)).toEqual(Array(4).fill('updated'));
    expect(results.map(({ previousUrl }) => previousUrl)).toEqual([undefined, ...targets.slice(0, 3)]);
    expect(writes(service.take())).toEqual(targets.map((url) => `retarget qr1 ${url}`));
  });

  it('try in turn if the first fails', async () => {
    service.failures['create'] = [apiError(500, 'http_500')];
    const upsert = startRun(service);
    const results = await Promise.allSettled([named('Menu'), named('Menu'), named('Menu')].map(upsert));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(service.codes.size).toBe(1);
  });

  it('do not trust what was known before a write whose response was lost', async () => {
    service.add({ id: 'qr1' }, A);
    service.losesResponses = true;
    service.failures['retarget'] = [undefined, apiError(504, 'http_504')];
    const upsert = startRun(service);
    const targets = [A, B, A];
    const rows = targets.map((targetUrl) => row({ code: 'qr1', targetUrl }));
    const results = await Promise.allSettled(rows.map(upsert));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(service.target('qr1')).toBe(A);
  });

  it('read the list once, whatever their number, and again if that failed', async () => {
    service.failures['list'] = [apiError(500, 'http_500')];
    const upsert = startRun(service);
    await expect(upsert(named('Table 0'))).rejects.toMatchObject({ code: 'http_500' });
    for (let at = 0; at < 300; at++) service.add({ id: `qr${at}`, name: `Table ${at}` });
    service.take();
    const rows = Array.from({ length: 1000 }, (_, at) => named(`Table ${at % 700}`));
    const results = await Promise.all(rows.map(upsert));
    expect(outcomes(results).filter((outcome) => outcome === 'created')).toHaveLength(400);
    expect(service.codes.size).toBe(700);
    expect(reads(service.take())).toEqual(['list', 'list', 'list']);
  });

  it.each([
    ['fetch a few codes by ID', 3, 100, ['get qr0', 'get qr1', 'get qr2']],
    ['list many, and fetch those that no list shows', 40, 100, ['list', 'get qr7']],
    [
      'read no more pages than one for ten IDs',
      12,
      5,
      ['list', ...[5, 6, 7, 8, 9, 10, 11].map((at) => `get qr${at}`)],
    ],
  ])('%s', async (_what, count, pageSize, expected) => {
    service.pageSize = pageSize;
    const ids = Array.from({ length: 40 }, (_, at) => `qr${at}`);
    for (const id of ids) service.add({ id });
    if (pageSize === 100) service.hidden.add('qr7');
    await runRows(
      service,
      ids.slice(0, count).map((code) => row({ code })),
    );
    expect(reads(service.take())).toEqual(expected);
  });

  it('fail rather than create a duplicate if there is no time to read the whole list', async () => {
    const time = startVirtualTime();
    service.pageSize = 1;
    service.whileListing = () => time.advance(400);
    for (let at = 0; at < 9; at++) service.add({ id: `qr${at}`, name: `Table ${at}` });
    const upsert = startRun(service, { searchMs: 1000 });
    // A later code may have the name of an earlier one as well.
    for (const name of ['Table 1', 'Table 8', 'None'])
      await expect(upsert(named(name))).rejects.toMatchObject({ code: 'search_limit' });
    expect(reads(service.take())).toEqual(['list', 'list', 'list']);
    for (const code of ['qr8', 'r.example/qr1'])
      expect(await upsert(row({ code }))).toMatchObject({ outcome: 'updated' });
    expect(service.take()).not.toContain('list');
  });
});

describe('the next run', () => {
  it.each<[string, (result: UpsertResult) => Partial<UpsertRow>]>([
    ['name', ({ code }) => named(code.name)],
    ['ID', ({ code }) => ({ code: code.id })],
    ['link', ({ code }) => ({ code: code.publicUrl })],
  ])('sends no POST and few requests for 200 unchanged rows by %s', async (_by, referenceTo) => {
    const memory = new CodeMemory();
    const rows = Array.from({ length: 200 }, (_, at) => named(`Table ${at}`));
    const first = await runRows(service, rows, { memory });
    service.take();
    const again = first.map((result) => row(referenceTo(result)));
    const second = await runRows(service, again, { memory });
    expect(new Set(outcomes(second))).toEqual(new Set(['unchanged']));
    expect(second.every(({ code }) => code['targetUrl'] === A && code.status === 'published')).toBe(true);
    expect(service.take()).toEqual(['list', 'list']);
  });

  it.each<[string, () => unknown]>([
    ['somebody pointed it elsewhere', () => service.change('qr1', {}, B)],
    ['somebody renamed it', () => service.change('qr1', { name: 'Menu' })],
    ['somebody unpublished it', () => service.change('qr1', { status: 'draft' })],
    ['an update failed', () => (service.failures['retarget'] = [apiError(504, 'http_504')])],
  ])('does not trust its memory after %s', async (_what, change) => {
    const memory = new CodeMemory();
    service.add({ id: 'qr1' });
    await runRows(service, [row({ code: 'qr1' })], { memory });
    change();
    await runRows(service, [row({ code: 'qr1', targetUrl: B })], { memory }).catch(() => undefined);
    const [result] = await runRows(service, [row({ code: 'qr1' })], { memory });
    expect(result).toMatchObject({ outcome: 'updated', code: { status: 'published' } });
    expect(service.target('qr1')).toBe(A);
  });

  it('never trusts the target that a record shows', async () => {
    service.add({ id: 'qr1', targetUrl: B, content: { targetUrl: B } });
    await runRows(service, [row({ code: 'qr1', targetUrl: B })]);
    expect(service.target('qr1')).toBe(B);
  });

  it.each(PROCESSES)('publishes a code whose publication failed, in %s', async (_which, options) => {
    const process = options();
    service.failures['publish'] = [1, 2].map(() => apiError(422, 'approval_required'));
    for (let run = 0; run < 2; run++)
      await expect(runRows(service, [named('Menu')], process)).rejects.toMatchObject({
        code: 'not_published',
        qrCode: { id: 'new0' },
      });
    const [result] = await runRows(service, [named('Menu')], process);
    expect(result).toMatchObject({ outcome: 'updated', code: { id: 'new0', status: 'published' } });
    expect([service.codes.size, service.target('new0')]).toEqual([1, A]);
  });
});

describe('rows that contradict each other', () => {
  const check = (rows: UpsertRow[]) =>
    conflictingRows(new Map(rows.entries()), (index) => `row ${index + 1}`);
  const qr1 = row({ code: 'qr1', name: 'Menu', targetUrl: B });

  it.each<[string, UpsertRow[], number[]]>([
    ['with one name and different targets', [named('Menu'), named('Door'), named(' Menu', B)], [0, 2]],
    ['of which only one has another target', [named('Menu'), named('Menu'), named('Menu', B)], [0, 1, 2]],
    ['with names that differ only in case', [named('Menu'), named('menu', B)], [0, 1]],
    ['with names that look alike', [named('Menu 1'), named('Menu\u00A01', B)], [0, 1]],
    ['but not those with one target', [named('Menu'), named('Menu', 'HTTPS://example.com/a')], []],
    ['but not those that differ visibly', [named('Menu'), named('Menü', B)], []],
    ['but not those with one ID', [qr1, { ...qr1, targetUrl: A }], []],
    ['but not one with an ID', [named('Menu'), { ...qr1, matchBy: 'name' }], []],
    ['but not those that each create a code', [row(), row({ targetUrl: B })], []],
  ])('are found: %s', (_what, rows, expected) => expect([...check(rows).keys()]).toEqual(expected));

  it('are named with both targets', () =>
    expect(check([named('Menu'), named('Menu', B)]).get(1)).toMatchObject({
      code: 'conflicting_rows',
      message: `The name "Menu" has two targets: "${A}" in row 1 and "${B}" in row 2.`,
      advice: expect.stringMatching(/^Nothing was sent for these rows\./) as string,
    }));
});
