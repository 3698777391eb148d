import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BEHAVIOR_CHOICES, DELIVERY_FAULTS, FAULT_PRESETS, WIRE_CHOICES } from 'qr-service-emulator';
import { runInProcess } from './support/runInProcess.ts';
import { removeTempFolders, tempFile } from './support/tempFolder.ts';

const PACKAGE = join(__dirname, '..');

afterEach(removeTempFolders);

const run = (args: readonly string[]) => runInProcess(...args);

test('explains on one line that a requested port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await run(['--port', String(port)])).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} is already in use; choose another port.\n`,
  });
  server.close();
});

test('lists every option in --help', async () => {
  const { code, out } = await run(['--help']);
  expect(code).toBe(0);
  const options = [
    'port',
    'host',
    'db',
    'connect-to',
    'redirect-url',
    'rate-limit',
    'api-key',
    'seed',
    'id-seed',
    'shape',
    'wire-shape',
    'scan-dimensions',
    'low-score-notices',
    'visible-after',
    'updated-at-step',
    'fault',
    'delivery-fault',
    'help',
    'version',
  ];
  for (const option of options) expect(out).toContain(`--${option} `);
  for (const name of [
    ...Object.keys(FAULT_PRESETS),
    ...Object.keys(DELIVERY_FAULTS),
    ...Object.keys(WIRE_CHOICES),
    ...Object.keys(BEHAVIOR_CHOICES),
  ])
    expect(out).toMatch(new RegExp(`^ {2}${name}( {2}|$)`, 'm'));
});

test.each([
  ['{"codes": [{"name": "Door"}]}', "can't be used: codes[0].targetUrl is missing.\n"],
  ['{\n  "codes": [,]\n}', `isn't valid JSON: Unexpected token ',', "{ "codes": [,] }".\n`],
])('names the seed file and the position of the error: %j', async (text, sentence) => {
  const seed = tempFile('seed.json');
  writeFileSync(seed, text);
  const { code, err } = await run(['--port', '0', '--seed', seed]);
  expect({ code, err }).toEqual({ code: 1, err: `The seed file ${seed} ${sentence}` });
});

test.each([
  ['[', "isn't valid JSON: Unexpected end of JSON input.\n"],
  ['{"codes": []}', `can't be used: The input isn't a service shape: its format isn't "qr-service-shape".\n`],
  [
    '{"format": "qr-service-shape", "version": 1, "wireShape": {"listEnd": "nil"}}',
    "can't be used: wireShape.listEnd must be one of: null, empty, missing, repeated, never.\n",
  ],
])('names the shape file and what is wrong with it: %j', async (text, sentence) => {
  const shape = tempFile('shape.json');
  writeFileSync(shape, text);
  const { code, err } = await run(['--port', '0', '--shape', shape]);
  expect({ code, err }).toEqual({ code: 1, err: `The shape file ${shape} ${sentence}` });
});

test('prints the version', async () => {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  expect(await run(['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
});

test.each([
  [['--color'], "Unknown option '--color'. See --help."],
  [['extra'], "Unexpected argument 'extra'"],
  [['--port', '70000'], '--port must be a number from 0 to 65535, not 70000.'],
  [['--port'], "Option '-p, --port <value>' argument missing. See --help."],
  [['--rate-limit', 'lots'], '--rate-limit must be requests/seconds, for example 600/10, not lots.'],
  [['--connect-to', 'a.example.com'], '--connect-to must be host=address:port, not a.example.com.'],
  [
    ['--connect-to', 'a.example.com=b'],
    "The connect-to rule a.example.com=b isn't in the form host=address:port.",
  ],
  [['--redirect-url', 'qr.example'], "The redirect URL qr.example isn't an absolute http or https URL."],
  [['--seed', '/none.json'], "The seed file /none.json can't be read (ENOENT)."],
  [['--wire-shape', 'listKey'], '--wire-shape must be point=form,point=form, not listKey.'],
  [['--wire-shape', 'listKey=rows'], 'The wire shape listKey must be one of: data, '],
  [['--wire-shape', 'color=red'], 'Unknown wire shape color.'],
  [['--wire-shape', 'maxLimit=0'], 'The wire shape maxLimit must be a whole number from 1 to 2147483647.'],
  [['--shape', '/none.json'], "The shape file /none.json can't be read (ENOENT)."],
  [['--scan-dimensions', 'country,shoes'], '--scan-dimensions must be none or some of country,device,'],
  [['--low-score-notices', 'no'], '--low-score-notices must be on or off, not no.'],
  [['--visible-after', '2s'], '--visible-after must be a number of milliseconds, not 2s.'],
  [['--visible-after', '9999999'], 'visibleAfterMs must be a whole number from 0 to 3600000.'],
  [['--updated-at-step', '0'], 'updatedAtStepMs must be a whole number from 1 to 3600000.'],
  [['--fault', 'gremlins'], 'Unknown --fault gremlins. See --help.'],
  [['--delivery-fault', 'lost'], 'Unknown --delivery-fault lost. See --help.'],
  [['--host', ''], '--host must not be empty. See --help.'],
  [['--db='], '--db must not be empty. See --help.'],
  [['--fault', 'slow', '--fault', ''], '--fault must not be empty. See --help.'],
  [['--host', '203.0.113.7'], "The emulator can't listen on 203.0.113.7"],
  [['--api-key', 'a b'], 'The API key can contain only printable ASCII characters, without spaces.'],
])('refuses %j with one line', async (args, sentence) => {
  const { code, out, err } = await run(args);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(sentence);
  expect(err.trim().split('\n')).toHaveLength(1);
});
