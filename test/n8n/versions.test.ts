import type { INode, INodeParameters } from 'n8n-workflow';
import { startWorld, type World } from './support/world.ts';
import { action, codeBy, NODE } from './support/workflows.ts';

/** The versions of the action node: 1.1 has a shorter form, and saved workflows keep version 1. */
const TARGET = 'https://example.com/';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

interface Outcome {
  error: string | undefined;
  /** Bodies of the POST requests and paths of the others. */
  sent: unknown[];
}

/** Runs a node of this version. `undefined`: the node has no version. */
async function run(typeVersion: unknown, parameters: INodeParameters): Promise<Outcome> {
  const { control } = world.emulator;
  const before = control.requestCount();
  const settings = { typeVersion, onError: 'continueRegularOutput' } as Partial<INode>;
  const { data } = await world.engine.runWorkflow(action(parameters, [{}], settings));
  const count = control.requestCount() - before;
  const requests = count === 0 ? [] : control.requests().slice(-count);
  return {
    error: data[NODE]![0]!.json['error'] as string | undefined,
    sent: requests.map(({ method, path, request: { body } }) =>
      method === 'POST' ? (JSON.parse(body!) as unknown) : path,
    ),
  };
}

const create = (parameters: INodeParameters): INodeParameters => ({
  operation: 'create',
  name: 'Table 4',
  publish: false,
  ...parameters,
});
const created = (more: object) => [
  { name: 'Table 4', mode: 'dynamic', contentType: 'url', content: { targetUrl: TARGET }, ...more },
];
const LONG_FORM = create({ targetUrl: TARGET, mode: 'static' });
const SHORT_FORM = create({ targetUrl: TARGET, options: { mode: 'static' } });

test.each([
  ['1', 1],
  ['none', undefined],
  ['0', 0],
])('a node of version %s has the long form', async (_name, typeVersion) => {
  expect((await run(typeVersion, LONG_FORM)).sent).toEqual(created({ mode: 'static' }));
  expect((await run(typeVersion, SHORT_FORM)).sent).toEqual(created({}));
});

test.each([
  ['1.1', 1.1],
  ['1.1 as text', '1.1'],
  ['2, which is unknown to this package', 2],
])('a node of version %s has the short form', async (_name, typeVersion) => {
  expect((await run(typeVersion, SHORT_FORM)).sent).toEqual(created({ mode: 'static' }));
  expect((await run(typeVersion, create({ targetUrl: TARGET }))).sent).toEqual(created({}));
});

test('the size of an image is an option in version 1.1 and a parameter in version 1', async () => {
  const { data } = await world.engine.runWorkflow(action(create({ targetUrl: TARGET })));
  const id = data[NODE]![0]!.json['id'] as string;
  const render = (more: INodeParameters) => ({
    operation: 'render',
    qrCodeId: codeBy('id', id),
    ...more,
  });
  const image = (size: string) => `/v1/public-api/qr/${id}/image?format=png${size}`;
  const options = { fileName: 'file' };
  expect((await run(1, render({ size: 200, options }))).sent).toEqual([image('&size=200')]);
  expect((await run(1.1, render({ options: { ...options, size: 200 } }))).sent).toEqual([image('&size=200')]);
  expect((await run(1.1, render({ options }))).sent).toEqual([image('')]);
});

const CONTENT = { firstName: 'Olive' };
const vcard = [{ name: 'Table 4', mode: 'dynamic', contentType: 'vcard', content: CONTENT }];
const content = JSON.stringify(CONTENT);

test.each<[string, INodeParameters, unknown[]]>([
  ['Web Address', { targetUrl: TARGET }, created({})],
  ['Other (JSON)', { contentType: 'other', contentTypeName: 'vcard', content }, vcard],
  [
    'Other (JSON) with the name of a web address',
    { contentType: 'other', contentTypeName: ' url ', content: JSON.stringify({ targetUrl: TARGET }) },
    created({}),
  ],
  ['another name, as in an imported workflow', { contentType: 'vcard', content }, vcard],
  ['an expression for a web address', { contentType: '={{ "url" }}', targetUrl: TARGET }, created({})],
  ['an expression for another name, without a target URL', { contentType: '={{ "vcard" }}', content }, vcard],
  [
    'an expression for Other (JSON)',
    { contentType: '={{ "other" }}', contentTypeName: '={{ "vcard" }}', content },
    vcard,
  ],
  ['an empty expression', { contentType: '={{ "" }}', targetUrl: TARGET }, created({})],
])('the content type in version 1.1 is %s', async (_what, parameters, sent) => {
  expect((await run(1.1, create(parameters))).sent).toEqual(sent);
});

test('what the evaluated content type needs is required, by its label', async () => {
  for (const [parameters, label] of [
    [{ contentType: '={{ "url" }}', content }, 'Target URL'],
    [{ contentType: '={{ "other" }}', content, targetUrl: TARGET }, 'Content Type Name'],
  ] as const) {
    const { error, sent } = await run(1.1, create(parameters));
    expect(error).toMatch(new RegExp(`^${label} is empty`));
    expect(sent).toEqual([]);
  }
});

test.each([
  [{ contentType: 'url', targetUrl: '' }, 'Target URL'],
  [{ contentType: 'other', content }, 'Content Type Name'],
])('n8n itself requires what the content type %j needs', async (parameters, label) => {
  await expect(run(1.1, create(parameters))).rejects.toThrow(`Parameter "${label}" is required`);
});

test('version 1 sends a content type named "other" as it is', async () => {
  const { sent } = await run(1, create({ contentType: 'other', content }));
  expect(sent).toEqual([{ ...vcard[0], contentType: 'other' }]);
});
