import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import { createZapierEngine } from '../../engines/zapier/index.ts';
import { lintForPublishing, PUBLISHING_CHECKS, type Definition } from './support/publishingLint.ts';

const folder = path.join(__dirname, '../../packages/zapier-qr-service');

/** The app as it is sent to Zapier. */
async function exported(): Promise<Definition> {
  const engine = await createZapierEngine({ auth: { apiKey: 'none' } });
  const definition = JSON.parse(JSON.stringify(await engine.definition())) as Definition;
  await engine.close();
  return definition;
}

test('the app passes every publishing check', async () => {
  expect(lintForPublishing(await exported())).toEqual([]);
});

/** Does harm to a definition. */
type Break = (app: Definition) => void;

const set =
  (place: string, value: unknown): Break =>
  (app) => {
    const keys = place.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<Record<string, unknown>>(
      (part, key) => part[key] as Record<string, unknown>,
      app as unknown as Record<string, unknown>,
    );
    expect(parent).toHaveProperty([last]);
    if (value === undefined) Reflect.deleteProperty(parent, last);
    else parent[last] = value;
  };

const CREATE = 'creates.create_qr_code';
const PUBLISH = 'creates.publish_qr_code';
const HOOK = 'triggers.qr_published';
const POLL = 'triggers.qr_changed';
const SEARCH = 'searches.find_qr_code';
const description = (step: string, text: string) => set(`${step}.display.description`, text);

const BROKEN: [check: string, ...breaks: Break[]][] = [
  ['D001', set(`${CREATE}.operation.inputFields.0.key`, 'apiKey')],
  [
    'D002',
    set('authentication.fields.0.helpText', 'Make a key on the settings page of the app.'),
    set('authentication.fields.0.helpText', 'Make a key in [the app](http://app.example).'),
  ],
  ['D003', set('authentication.connectionLabel', undefined)],
  [
    'D004',
    set(`${PUBLISH}.operation.inputFields.0.label`, 'QR Code ID'),
    set(`${PUBLISH}.operation.inputFields.0.choices`, undefined),
  ],
  ['D005', set(`${PUBLISH}.operation.inputFields.0.choices`, { perform: 'gone' })],
  ['D006', set(`${HOOK}.operation.performList`, undefined)],
  ['D007', set('authentication.fields.1.default', 'http://api.example')],
  [
    'D008',
    set(`${CREATE}.operation.inputFields.1.helpText`, 'Look at https://example.com for how it is done.'),
    set(`${CREATE}.operation.inputFields.1.helpText`, 'See [the page(https://example.com) about it.'),
  ],
  ['D009', set(`${SEARCH}.operation.inputFields`, [])],
  ['D010', set(`${POLL}.operation.sample`, { name: 'Table 4' })],
  ['D011', set(`${CREATE}.operation.inputFields.1.helpText`, 'The target URL.')],
  ['D012', set(`${SEARCH}.operation.sample`, {})],
  ['D013', set(`${PUBLISH}.operation.inputFields.0.search`, 'find_nothing.id')],
  ['D014', set(`${PUBLISH}.operation.inputFields.0.choices`, undefined)],
  [
    'D015',
    set('searchOrCreates.find_qr_code.create', 'create_nothing'),
    set('searchOrCreates.find_qr_code.search', 'find_nothing'),
  ],
  ['D016', set(`${HOOK}.operation.performSubscribe`, undefined)],
  ['D017', set(`${HOOK}.operation.performUnsubscribe`, undefined)],
  [
    'D018',
    set(`${HOOK}.display.label`, 'QR Code published'),
    set('searchOrCreates.find_qr_code.display.label', 'Find Or create'),
    set(`${CREATE}.operation.outputFields.1.label`, undefined),
  ],
  ['D021', description(HOOK, 'Starts when a QR code goes live and its link resolves.')],
  ['D022', set(`${CREATE}.operation.inputFields`, [])],
  ['D023', set(`${POLL}.operation.outputFields.8.sample`, '15 Jan 2026 09:30')],
  [
    'D024',
    set('triggers.feedback_response_received.operation.outputFields.8.sample', 'three'),
    set(`${CREATE}.operation.outputFields.7.sample`, null),
  ],
  [
    'T004',
    set(`${CREATE}.operation.sample.slug`, undefined),
    set(`${CREATE}.operation.outputFields.2.sample`, 'another-slug'),
  ],
  [
    'output fields have labels and types',
    set(`${CREATE}.operation.outputFields.1.label`, undefined),
    set(`${CREATE}.operation.outputFields.1.type`, undefined),
  ],
  ['input fields have types and help', set(`${CREATE}.operation.inputFields.0.helpText`, undefined)],
  [
    'help is a sentence',
    set(`${CREATE}.operation.inputFields.0.helpText`, 'Shown in the app.'),
    set(`${CREATE}.operation.inputFields.0.helpText`, `It is ${'very '.repeat(40)}long.`),
    set(`${CREATE}.operation.inputFields.0.helpText`, 'What the app shows to people'),
  ],
  [
    'a description has 40 to 140 characters',
    description(HOOK, 'Triggers when a code goes live.'),
    description(HOOK, 'Triggers when a QR code goes live and its link resolves'),
    description(HOOK, `Triggers when ${'it is so and '.repeat(12)} so on.`),
  ],
  ['an action says what it does', description(CREATE, 'Create a dynamic QR code that points somewhere.')],
  ['a search says "Finds', description(SEARCH, 'Looks for a QR code by its ID or its exact name.')],
  [
    'texts name neither Zapier nor this app',
    description(CREATE, 'Creates a dynamic QR code from a row that zapier hands over.'),
    description(CREATE, 'Creates a dynamic code in QR Service, and publishes it.'),
    description(CREATE, 'Creates a dynamic QR Code, and publishes it if you like.'),
  ],
  ['a step has a singular noun', set(`${CREATE}.noun`, undefined), set(`${CREATE}.noun`, 'QR Codes')],
];

describe('each publishing check fails on a broken definition', () => {
  test.each(BROKEN)('%s', async (check, ...breaks) => {
    const name = Object.keys(PUBLISHING_CHECKS).find((known) => known.startsWith(check)) ?? 'no such check';
    for (const harm of breaks) {
      const broken = await exported();
      harm(broken);
      expect(lintForPublishing(broken)).toContainEqual({ check: name, where: expect.any(String) });
    }
  });

  test('with no check left untested', () => {
    expect(BROKEN).toHaveLength(Object.keys(PUBLISHING_CHECKS).length);
  });
});

describe('the listing', () => {
  test('has a square logo of 256 pixels with transparent corners, drawn from the SVG beside it', async () => {
    const logo = PNG.sync.read(await readFile(path.join(folder, 'logo.png')));
    const alphaAt = (x: number, y: number) => logo.data[(y * logo.width + x) * 4 + 3];
    expect([logo.width, logo.height]).toEqual([256, 256]);
    expect([alphaAt(0, 0), alphaAt(255, 0), alphaAt(0, 255), alphaAt(255, 255)]).toEqual([0, 0, 0, 0]);
    expect(alphaAt(128, 8)).toBe(255);

    const svg = await readFile(path.join(folder, 'logo.svg'), 'utf8');
    const drawn = PNG.sync.read(new Resvg(svg, { fitTo: { mode: 'width', value: 256 } }).render().asPng());
    expect(logo.data.equals(drawn.data)).toBe(true);
  });

  test("has a description that meets Zapier's rule M002", async () => {
    const readme = await readFile(path.join(folder, 'README.md'), 'utf8');
    const description = /^\| Description +\| (.+?) +\|/m.exec(readme)?.[1] ?? '';
    expect(description).toMatch(/^QR Service is an? .*\.$/);
    expect(description.length).toBeGreaterThanOrEqual(40);
    expect(description.length).toBeLessThanOrEqual(140);
    expect(description).not.toMatch(/zapier|sync|https?:/i);
  });
});
