import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInProcess as run } from './support/command.ts';
import { tempFile } from './support/service.ts';

test('explains on one line that a requested port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await run('--port', String(port))).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} is already in use; choose another port.\n`,
  });
  server.close();
});

test('lists every option in --help, and the version', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  const options = ['port', 'host', 'db', 'connect-to', 'redirect-url', 'api-key', 'seed'];
  for (const option of [...options, 'help', 'version'])
    expect(out).toMatch(new RegExp(`--${option}( |$)`, 'm'));
  const file = readFileSync(join(__dirname, '../package.json'), 'utf8');
  const { version } = JSON.parse(file) as { version: string };
  expect(await run('--version')).toMatchObject({ code: 0, out: `${version}\n` });
});

test.each([
  ['{"codes": [{"name": "Door"}]}', "can't be used: codes[0].targetUrl is missing.\n"],
  ['{\n  "codes": [,]\n}', `isn't valid JSON: Unexpected token ',', "{ "codes": [,] }".\n`],
])('names the seed file and the position of the error: %j', async (text, sentence) => {
  const seed = tempFile('seed.json');
  writeFileSync(seed, text);
  const { code, err } = await run('--port', '0', '--seed', seed);
  expect({ code, err }).toEqual({ code: 1, err: `The seed file ${seed} ${sentence}` });
});

test.each([
  [['--color'], "unknown option '--color'. See --help."],
  [['extra'], 'too many arguments. Expected 0 arguments but got 1. See --help.'],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535.'],
  [['--port'], "option '-p, --port <number>' argument missing. See --help."],
  [['--connect-to', 'a.at=b'], '--connect-to must have the form host=address:port, not a.at=b.'],
  [['--redirect-url', 'qr.example'], '--redirect-url must be an absolute http or https URL of at most 100'],
  [['--seed', '/none.json'], "The seed file /none.json can't be read (ENOENT)."],
  [['--host', ''], '--host must not be empty.'],
  [['--db='], '--db must not be empty.'],
  [['--db', '/none/emulator.json'], "/none/emulator.json can't be created: its folder doesn't exist."],
  [['--host', '203.0.113.7'], "The emulator can't listen on 203.0.113.7"],
  [['--api-key', 'a b'], '--api-key can contain only printable ASCII characters, without spaces.'],
])('refuses %j with one line', async (args, sentence) => {
  const { code, out, err } = await run(...args);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(sentence);
  expect(err.trim().split('\n')).toHaveLength(1);
});
