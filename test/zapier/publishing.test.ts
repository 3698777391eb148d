import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BRAND } from '@qr-service/core/connector';
import { Resvg } from '@resvg/resvg-js';
import { PNG } from 'pngjs';
import { createZapierEngine } from '../../engines/zapier/index.ts';
import { lintForPublishing, PUBLISHING_CHECKS, type Definition } from './support/publishingLint.ts';

const folder = path.join(__dirname, '../../packages/zapier-qr-service');

/** The app's definition as sent to Zapier. */
async function exported(): Promise<Definition> {
  const engine = await createZapierEngine({ auth: { apiKey: 'none' } });
  const definition = JSON.parse(JSON.stringify(await engine.definition())) as Definition;
  await engine.close();
  return definition;
}

test('the app passes every publishing check', async () => {
  expect(lintForPublishing(await exported())).toEqual([]);
});

/** Breaks a definition. */
type Break = (app: Definition) => void;

type Part = Record<string, unknown>;

/** Finds the parent of a part. Fields are identified by their keys. */
function locate(app: Definition, place: string): [parent: Part, key: string] {
  const keys = place.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>(
    (part, key) =>
      Array.isArray(part) ? part.find((field: Part) => field['key'] === key) : (part as Part)[key],
    app,
  );
  return [parent as Part, last];
}

/** Replaces or removes an existing part. */
const set =
  (place: string, value: unknown): Break =>
  (app) => {
    const [parent, key] = locate(app, place);
    expect(parent).toHaveProperty([key]);
    if (value === undefined) Reflect.deleteProperty(parent, key);
    else parent[key] = value;
  };

const add =
  (place: string, value: unknown): Break =>
  (app) => {
    const [parent, key] = locate(app, place);
    expect(parent).not.toHaveProperty([key]);
    parent[key] = value;
  };

const CREATE = 'creates.create_qr_code';
const PUBLISH = 'creates.publish_qr_code';
const HOOK = 'triggers.qr_published';
const POLL = 'triggers.qr_changed';
const SEARCH = 'searches.find_qr_code';
const description = (step: string, text: string) => set(`${step}.display.description`, text);

const BROKEN: [check: string, ...breaks: Break[]][] = [
  [
    'D001',
    set(`${CREATE}.operation.inputFields.name.key`, 'apiKey'),
    set(`${CREATE}.operation.inputFields.name.type`, 'password'),
  ],
  [
    'D002',
    set('authentication.fields.apiKey.helpText', 'Make a key on the settings page of the app.'),
    set('authentication.fields.apiKey.helpText', 'Make a key in [the app](http://app.example).'),
  ],
  [
    'D003',
    set('authentication.connectionLabel', undefined),
    set('authentication.connectionLabel', 'Connected'),
    set('authentication.connectionLabel', `${BRAND.name} {{workspaceName}}`),
    set('authentication.connectionLabel', '{{apiKey}}'),
    set('authentication.connectionLabel', '{{bundle.authData.apiKey}}'),
    set('authentication.connectionLabel', '{{workspaceId}}'),
    set('authentication.connectionLabel', '$func$2$f$'),
  ],
  [
    'D004',
    set(`${PUBLISH}.operation.inputFields.qrCodeId.label`, 'QR Code ID'),
    set(`${PUBLISH}.operation.inputFields.qrCodeId.choices`, undefined),
  ],
  ['D005', set(`${PUBLISH}.operation.inputFields.qrCodeId.choices`, { perform: 'gone' })],
  ['D006', set(`${HOOK}.operation.performList`, undefined)],
  [
    'D007',
    set('authentication.fields.baseUrl.default', 'http://api.example'),
    set('authentication.fields.baseUrl.helpText', 'Your own service, such as `http://localhost:4010`.'),
    set(`${CREATE}.operation.sample.publicUrl`, 'http://example.com/table-4'),
  ],
  [
    'D008',
    set(
      `${CREATE}.operation.inputFields.targetUrl.helpText`,
      'Look at https://example.com for how it is done.',
    ),
    set(`${CREATE}.operation.inputFields.targetUrl.helpText`, 'See [the page(https://example.com) about it.'),
  ],
  ['D009', set(`${SEARCH}.operation.inputFields`, [])],
  [
    'D010',
    set(`${POLL}.operation.sample`, { name: 'Table 4' }),
    set(`${POLL}.operation.sample.updatedAt`, undefined),
  ],
  ['D011', set(`${CREATE}.operation.inputFields.targetUrl.helpText`, 'The target URL.')],
  ['D012', set(`${SEARCH}.operation.sample`, {})],
  [
    'D013',
    set(`${PUBLISH}.operation.inputFields.qrCodeId.search`, 'find_nothing.id'),
    add(`${SEARCH}.display.hidden`, true),
  ],
  [
    'D014',
    add(`${PUBLISH}.operation.inputFields.qrCodeId.list`, true),
    set(`${PUBLISH}.operation.inputFields.qrCodeId.type`, 'text'),
  ],
  ['a field with a search button', set(`${PUBLISH}.operation.inputFields.qrCodeId.choices`, undefined)],
  [
    'D015',
    set('searchOrCreates.find_qr_code.create', 'create_nothing'),
    set('searchOrCreates.find_qr_code.search', 'find_nothing'),
    add(`${CREATE}.display.hidden`, true),
  ],
  [
    'D016, D017',
    set(`${HOOK}.operation.performSubscribe`, undefined),
    set(`${HOOK}.operation.performUnsubscribe`, undefined),
  ],
  [
    'D018',
    set(`${HOOK}.display.label`, 'QR Code published'),
    set('searchOrCreates.find_qr_code.display.label', 'Find Or create'),
    set(`${CREATE}.operation.outputFields.name.label`, undefined),
  ],
  [
    'D021',
    description(HOOK, 'Starts when a QR code goes live and its link resolves.'),
    description(HOOK, 'Triggers when a QR code goes live and its link resolves'),
  ],
  [
    'D022',
    set(`${CREATE}.operation.inputFields`, []),
    set(`${CREATE}.operation.inputFields`, ['$func$2$f$']),
  ],
  ['D023', set(`${POLL}.operation.outputFields.updatedAt.sample`, '15 Jan 2026 09:30')],
  [
    'D024',
    set('triggers.feedback_response_received.operation.outputFields.score.sample', 'three'),
    set(`${CREATE}.operation.outputFields.status.sample`, null),
  ],
  [
    'D025',
    set('authentication.fields.baseUrl.default', "javascript:alert('XSS');//"),
    set(`${CREATE}.operation.sample.publicUrl`, 'data:text/html,<script>'),
  ],
  ['D028', set('flags.cleanInputData', true), add(`${CREATE}.operation.cleanInputData`, true)],
  [
    'T004',
    set(`${CREATE}.operation.sample.slug`, undefined),
    set(`${CREATE}.operation.outputFields.slug.sample`, 'another-slug'),
    add(`${CREATE}.operation.sample.targetUrl`, 'https://example.com'),
  ],
  [
    'output fields have labels and types',
    set(`${CREATE}.operation.outputFields.name.label`, undefined),
    set(`${CREATE}.operation.outputFields.name.type`, undefined),
  ],
  ['input fields have types and help', set(`${CREATE}.operation.inputFields.name.helpText`, undefined)],
  ['a text field shows an example', set(`${CREATE}.operation.inputFields.name.placeholder`, undefined)],
  [
    'help is a sentence',
    set(`${CREATE}.operation.inputFields.name.helpText`, 'Shown in the app.'),
    set(`${CREATE}.operation.inputFields.name.helpText`, `It is ${'very '.repeat(40)}long.`),
    set(`${CREATE}.operation.inputFields.name.helpText`, 'What the app shows to people'),
  ],
  [
    'a description has 40 to 140 characters',
    description(HOOK, 'Triggers when a code goes live.'),
    description(HOOK, 'Triggers when a QR code goes live and its link resolves'),
    description(HOOK, `Triggers when ${'it is so and '.repeat(12)} so on.`),
  ],
  [
    '5.8: an action',
    description(CREATE, 'Create a dynamic QR code that points somewhere.'),
    set(`${CREATE}.display.label`, 'New QR Code'),
  ],
  ['5.8: a search', description(SEARCH, 'Looks for a QR code by its ID or its exact name.')],
  [
    'descriptions name neither Zapier nor this app',
    description(CREATE, 'Creates a dynamic QR code from a row that zapier hands over.'),
    description(CREATE, `Creates a dynamic code in ${BRAND.name}, and publishes it.`),
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

  test('all checks are tested', () => {
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
    const page = await readFile(path.join(folder, 'RELEASING.md'), 'utf8');
    const description = /^\| Description +\| (.+?) +\|/m.exec(page)?.[1] ?? '';
    expect(description.startsWith(`${BRAND.name} is a`)).toBe(true);
    expect(description).toMatch(/ is an? .*\.$/);
    expect(description.length).toBeGreaterThanOrEqual(40);
    expect(description.length).toBeLessThanOrEqual(140);
    expect(description).not.toMatch(/zapier|sync|https?:/i);
  });
});
