import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_TYPES } from '@qr-service/core';
import { BRAND, UNDOCUMENTED_EVENTS } from '@qr-service/core/connector';
import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import app from 'zapier-qr-service';
import packageJson from 'zapier-qr-service/package.json' with { type: 'json' };
import type { ZapierHook } from '../../engines/zapier/index.ts';
import { HOOK_URL, startWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const STEPS = Object.entries({ ...app.triggers, ...app.searches, ...app.creates });

test("passes Zapier's own validation", async () => {
  expect(await world.engine.validate()).toEqual([]);
});

test('has the versions of the package and of zapier-platform-core', () => {
  expect(app.version).toBe(packageJson.version);
  expect(app.platformVersion).toBe(packageJson.dependencies['zapier-platform-core']);
});

test('keeps the keys that saved Zaps rely on, with required fields first', async () => {
  const { creates, searches, triggers, searchOrCreates, authentication } = app;
  expect(searchOrCreates.find_qr_code).toMatchObject({ search: 'find_qr_code', create: 'create_qr_code' });
  expect(authentication.fields?.map(({ key }) => key)).toEqual(['apiKey', 'baseUrl']);
  const inputs: Record<string, unknown> = {};
  for (const [kind, steps] of Object.entries({ creates, searches, triggers }))
    for (const step of Object.keys(steps)) {
      const fields = await world.engine.inputFields(`${kind}.${step}`, { matchBy: 'id' });
      inputs[step] = fields.map(({ key }) => key).join(' ');
      const required = fields.map((field) => field['required'] === true);
      expect([step, required]).toEqual([step, [...required].sort((a, b) => Number(b) - Number(a))]);
    }
  expect(inputs).toEqual({
    create_qr_code: 'name targetUrl urlParameters publishNow deduplicationKey',
    publish_qr_code: 'qrCodeId',
    retarget_qr_code: 'qrCodeId url urlParameters',
    upsert_qr_code: 'targetUrl matchBy qrCodeId name deduplicationKey urlParameters',
    render_qr_code: 'qrCodeId format size',
    find_qr_code: 'value',
    find_scans: 'qrCodeId since limit',
    count_scans: 'qrCodeId since until',
    qr_created: '',
    qr_published: 'qrCodeId',
    qr_updated: 'qrCodeId status',
    qr_archived: '',
    qr_deleted: '',
    feedback_response_received: '',
    other_event: 'event',
    qr_changed: 'qrCodeId status',
    new_scan: 'qrCodeId',
  });
});

test('actions have the names that people search for', () => {
  const parts = [app.creates, app.searches, app.searchOrCreates].flatMap((steps) => Object.values(steps));
  expect(parts.map(({ display }) => display.label)).toEqual([
    'Create QR Code',
    'Publish QR Code',
    'Update QR Code Destination',
    'Create or Update QR Code',
    'Create QR Code Image',
    'Find QR Code',
    'Find Scans',
    'Get Scan Counts',
    'Find or Create QR Code',
  ]);
});

const SEEN_EVENTS = EVENT_TYPES.filter((type) => !UNDOCUMENTED_EVENTS.includes(type));

describe('rows start with the fields that users map first and end with IDs:', () => {
  const STATE = ['status', 'scannedAt', 'occurredAt', 'updatedAt'];
  const IMAGES = ['file', 'imagePng', 'imageSvg', 'imagePdf'];
  const COUNTS = ['scans', 'scansFound', 'scansWithoutQrCode'];
  const DETAILS = ['targetUrl', 'outcome', 'score', 'scoreKind'];
  const FIRST = [...COUNTS, 'name', 'publicUrl', ...IMAGES, ...DETAILS, ...STATE];
  const inOrder = (keys: readonly string[]) => {
    const isOwn = (key: string) => key === 'id' || key === 'qrId';
    const ids = keys
      .filter((key) => /^id$|Id$/.test(key))
      .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
    const first = FIRST.filter((key) => keys.includes(key));
    return [...first, ...keys.filter((key) => !ids.includes(key) && !first.includes(key)), ...ids];
  };
  const UNMAPPED = ['mode', 'contentType', 'type', 'workspaceId', 'deliveryId'];

  test.each(STEPS)('%s', (_key, { operation }) => {
    const fields = (operation.outputFields as { key?: string }[]).flatMap(({ key }) => key ?? []);
    expect(fields).toEqual(inOrder(fields));
    expect(fields).not.toEqual(expect.arrayContaining([expect.stringMatching(`^(${UNMAPPED.join('|')})$`)]));
    // In the key of a field, Zapier writes `__` for a field of an object, and `[]` for one of line items.
    const keys = Object.entries(operation.sample ?? {}).flatMap(([key, value]) => {
      const inside: unknown = Array.isArray(value) ? value[0] : value;
      if (typeof inside !== 'object') return key;
      return Object.keys(inside as object).map((inner) => `${key}${inside === value ? '__' : '[]'}${inner}`);
    });
    expect(keys).toEqual(fields);
  });

  test('rows of runs have the fields of the sample, in its order', async () => {
    const { engine } = world;
    const url = 'https://example.com';
    const code = await engine.create('create_qr_code', { name: 'Ordered', targetUrl: url });
    const hooks = new Map<string, ZapierHook>();
    for (const type of SEEN_EVENTS)
      hooks.set(type, await engine.subscribe(type.replaceAll('.', '_'), HOOK_URL));
    await (await fetch(String(code['publicUrl']), { redirect: 'manual' })).text();
    for (const type of SEEN_EVENTS) world.emulator.control.emit(type);
    await world.emulator.control.settled();
    const received = world.hooks.requests.map(async (request) => {
      const type = String(request.headers['Http-X-Service-Event']);
      const [row] = await hooks.get(type)!.receive(request);
      return [type.replaceAll('.', '_'), row!] as const;
    });
    const { id: qrCodeId } = code;
    const rows = [
      ['create_qr_code', code],
      ['publish_qr_code', await engine.create('publish_qr_code', { qrCodeId })],
      ['retarget_qr_code', await engine.create('retarget_qr_code', { qrCodeId, url })],
      ['upsert_qr_code', await engine.create('upsert_qr_code', { qrCodeId, matchBy: 'id', targetUrl: url })],
      ['render_qr_code', await engine.create('render_qr_code', { qrCodeId, format: 'pdf', size: 400 })],
      ['find_qr_code', (await engine.search('find_qr_code', { value: qrCodeId }))[0]!],
      ['qr_changed', (await engine.poll('qr_changed'))[0]!],
      ['qr_published', (await engine.performList('qr_published'))[0]!],
      ...(await Promise.all(received)),
    ] as const;
    expect(rows.length).toBe(8 + SEEN_EVENTS.length);
    const parts = Object.fromEntries(STEPS);
    for (const [key, row] of rows)
      expect([key, Object.keys(row)]).toEqual([key, Object.keys(parts[key]?.operation.sample ?? {})]);

    // Scans have the dimensions that the workspace allows as well.
    const [polled] = await engine.poll('new_scan');
    const [found] = await engine.search('find_scans', {});
    const sample = app.searches['find_scans']?.operation.sample ?? {};
    expect(sample).toMatchObject(app.triggers['new_scan']?.operation.sample ?? {});
    expect(Object.keys(polled!)).toEqual(inOrder(Object.keys(polled!)));
    expect(Object.keys(found!)).toEqual(['scansFound', 'scansWithoutQrCode', ...Object.keys(polled!)]);
    expect(Object.keys(found!)).toEqual(expect.arrayContaining(Object.keys(sample)));
    expect(found?.['scannedCode']).toEqual(await engine.hydrate(polled?.['scannedCode']));
    expect(found?.['scannedCode']).toEqual({ name: 'Ordered', publicUrl: code['publicUrl'] });
  });
});

interface Field {
  key: string;
  label?: string;
  type?: string;
  helpText?: string;
  choices?: unknown;
  sample?: unknown;
}

interface Step {
  noun?: string;
  display: { label: string; description: string };
  /** In a definition as sent, a function that loads fields is its name. */
  operation: { inputFields?: (Field | string)[]; outputFields?: (Field | string)[] };
}

/** An app's definition as sent to Zapier. */
interface Definition {
  flags: { cleanInputData?: boolean };
  authentication: { fields: Field[] };
  triggers: Record<string, Step>;
  searches: Record<string, Step>;
  creates: Record<string, Step>;
  searchOrCreates: Record<string, Pick<Step, 'display'>>;
}

/** Parts of a definition with their paths. */
type Placed<Part> = [place: string, part: Part][];

let sent: Definition;
let steps: Placed<Step>;
/** Steps and "find or create". */
let displays: Placed<Step['display']>;
let inputs: Placed<Field>;
let outputs: Placed<Field>;
/** Help texts of inputs and of the connection. */
let helps: Placed<string>;

beforeAll(async () => {
  sent = JSON.parse(JSON.stringify(await world.engine.definition())) as Definition;
  const { triggers, searches, creates, searchOrCreates } = sent;
  steps = [triggers, searches, creates].flatMap((all) => Object.entries(all));
  displays = [...steps, ...Object.entries(searchOrCreates)].map(([place, { display }]) => [place, display]);
  const fieldsOf = (name: 'inputFields' | 'outputFields') =>
    steps.flatMap(([place, { operation }]) =>
      (operation[name] ?? [])
        .filter((field) => typeof field !== 'string')
        .map((field): [string, Field] => [`${place}.${field.key}`, field]),
    );
  inputs = fieldsOf('inputFields');
  outputs = fieldsOf('outputFields');
  const connection = sent.authentication.fields.map((field): [string, Field] => [field.key, field]);
  helps = [...connection, ...inputs].flatMap(([place, { helpText }]): Placed<string> =>
    helpText === undefined ? [] : [[place, helpText]],
  );
  expect([steps, displays, inputs, outputs, helps].map(({ length }) => length > 15)).not.toContain(false);
});

function where<Part>(parts: Placed<Part>, isBroken: (part: Part) => boolean): string[] {
  return parts.filter(([, part]) => isBroken(part)).map(([place]) => place);
}

/**
 * Zapier's checks before publishing (its "Integration check reference", by ID) and the written requirements of its
 * reviewers ("Integration publishing requirements", by number). The local validation checks none of them. Each finds
 * the places that break it.
 */
const CHECKS: Record<string, () => string[]> = {
  'D001, 5.5: no step asks for a key': () =>
    where(inputs, ({ type, key }) => type === 'password' || /api.?key|token|secret|password/i.test(key)),
  'D002: the help of a secret links to where it is created': () =>
    sent.authentication.fields
      .filter(({ type, helpText = '' }) => type === 'password' && !/\]\(https:\/\/[^)]+\)/.test(helpText))
      .map(({ key }) => key),
  'D004: IDs are chosen, not typed': () =>
    where(
      inputs,
      ({ label = '', key, choices }) => /id$/i.test(label) || (/(^id|Id)$/.test(key) && !isDropdown(choices)),
    ),
  'D007, 4.2: every URL is https': () => (/http:\/\//i.test(JSON.stringify(sent)) ? ['the definition'] : []),
  'D008: a URL is a Markdown link or in backticks': () =>
    where(helps, (text) => /:\/\/|\bwww\.|\]\(/.test(text.replaceAll(/\[[^\]]+\]\([^)\s]+\)|`[^`]+`/g, ''))),
  'D018: labels are in title case': () => [
    ...where(displays, ({ label }) => !isTitleCase(label)),
    ...where([...inputs, ...outputs], ({ label = '' }) => !isTitleCase(label)),
  ],
  'D021: a trigger description is "Triggers when …."': () =>
    where(Object.entries(sent.triggers), ({ display }) => !/^Triggers when .*\.$/.test(display.description)),
  'D023: times in samples are ISO 8601 with a zone': () =>
    where(outputs, ({ type, sample }) => type === 'datetime' && !/^[\d-]{10}T[\d:.]+Z$/.test(String(sample))),
  'D024: samples fit the types of their fields': () => where(outputs, (field) => !fitsType(field)),
  'D028: empty inputs reach the steps': () => (sent.flags.cleanInputData === false ? [] : ['flags']),
  'help is a sentence of 20 to 200 characters': () =>
    where(helps, (text) => {
      const { length } = text.replaceAll(/\]\(.*?\)/g, ']');
      return length < 20 || length > 200 || !text.endsWith('.');
    }),
  'a description is a sentence of 40 to 140 characters that names neither Zapier nor this app': () =>
    where(
      displays,
      ({ description }) =>
        !/^.{39,139}\.$/.test(description) ||
        /zapier|QR Code/.test(description) ||
        description.includes(BRAND.name),
    ),
  '5.8: an action starts with a verb: "Create …", "Creates …"': () =>
    where(
      Object.entries(sent.creates),
      ({ display }) =>
        !/^(Create|Publish|Update) /.test(display.label) || !/^[A-Z][a-z]+s /.test(display.description),
    ),
  '5.8: a search is "Find …", or gets numbers, and is described as "Finds …"': () =>
    where(
      [...Object.entries(sent.searches), ...Object.entries(sent.searchOrCreates)],
      ({ display }: Pick<Step, 'display'>) =>
        !/^Find |^Get .* Counts$/.test(display.label) || !display.description.startsWith('Finds '),
    ),
  'a step has a singular noun': () =>
    where(steps, ({ noun = '' }) => !isTitleCase(noun) || noun.endsWith('s')),
};

test.each(Object.entries(CHECKS))('%s', (_rule, find) => {
  expect(find()).toEqual([]);
});

function isDropdown(choices: unknown): boolean {
  return typeof choices === 'object' && choices !== null && 'perform' in choices;
}

const SMALL_WORDS = /^(a|an|and|as|at|but|by|for|if|in|of|on|or|the|to|via|with)$/;

function isTitleCase(label: string): boolean {
  const words = label.split(/[\s-]+/);
  return words.every(
    (word, at) =>
      /^\(?[A-Z0-9]|^exports:read$/.test(word) || (SMALL_WORDS.test(word) && at > 0 && at < words.length - 1),
  );
}

function fitsType({ type, sample }: Field): boolean {
  if (type === 'integer') return Number.isInteger(sample);
  if (type === 'boolean') return typeof sample === 'boolean';
  return typeof sample === 'string' && sample !== '';
}

const FOLDER = path.join(__dirname, '../../packages/zapier-qr-service');

test("the sample of an image file is a picture in the package's repository", async () => {
  const { repository } = JSON.parse(await readFile(path.join(FOLDER, 'package.json'), 'utf8')) as {
    repository: { url: string; directory: string };
  };
  const home = repository.url.replace(/^git\+|\.git$/g, '');
  const samples = outputs.filter(([, { type }]) => type === 'file').map(([, { sample }]) => sample);
  expect(new Set(samples)).toEqual(new Set([`${home}/raw/HEAD/${repository.directory}/logo.png`]));
});

describe('the listing', () => {
  test('has a square logo of 256 pixels with transparent corners, drawn from the SVG beside it', async () => {
    const file = await readFile(path.join(FOLDER, 'logo.png'));
    const logo = PNG.sync.read(file);
    const alphaAt = (x: number, y: number) => logo.data[(y * logo.width + x) * 4 + 3];
    expect([logo.width, logo.height, alphaAt(0, 0), alphaAt(255, 255)]).toEqual([256, 256, 0, 0]);
    const svg = await readFile(path.join(FOLDER, 'logo.svg'), 'utf8');
    const drawn = new Resvg(svg, { fitTo: { mode: 'width', value: 256 } }).render().asPng();
    // Write `drawn` to logo.png after a change of the SVG.
    expect(logo.data.equals(PNG.sync.read(drawn).data)).toBe(true);
  });

  test("has a description that meets Zapier's rule M002", async () => {
    const page = await readFile(path.join(FOLDER, 'RELEASING.md'), 'utf8');
    const description = /^- \*\*Description\*\*: (.+)$/m.exec(page)?.[1] ?? '';
    expect(description.startsWith(`${BRAND.name} is a`)).toBe(true);
    expect(description).toMatch(/^.{39,139}\.$/);
    expect(description).not.toMatch(/zapier|sync|https?:/i);
  });
});
