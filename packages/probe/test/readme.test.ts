import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELP } from '../src/cli/help.ts';
import { readArguments } from '../src/cli/readArguments.ts';
import { VERDICTS } from '../src/report/summary.ts';
import { DEFAULT_WEBHOOK_PORT, DELIVERY_WAIT_MS } from '../src/webhook/receiveDelivery.ts';

const README = readFileSync(join(__dirname, '../README.md'), 'utf8');

test('the commands are valid', () => {
  const commands = [...README.matchAll(/^npx qr-service-probe (.*)$/gm)].map(([, args = '']) =>
    args.split(' '),
  );
  expect(commands.length).toBeGreaterThan(2);
  for (const args of commands) expect(() => readArguments(args)).not.toThrow();
});

test('names only options and variables that --help lists', () => {
  const named = [...README.matchAll(/`(--[\w-]+|QR_SERVICE_[A-Z_]+)/g)].map(([, name]) => name);
  const existing = [...HELP.matchAll(/^ {2}(--[\w-]+|[A-Z_]{5,})/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(existing).toEqual(expect.arrayContaining(named));
});

test('the table of verdicts has those of the report', () => {
  const rows = [...README.matchAll(/^\| `(\S) ([\w ]+)`/gm)].map(([, icon, word]) => ({ icon, word }));
  expect(rows).toEqual(Object.values(VERDICTS).map(({ icon, word }) => ({ icon, word })));
});

test('the numbers are those of the code', () => {
  expect(README).toContain(`a tunnel to port ${DEFAULT_WEBHOOK_PORT} `);
  expect(README).toContain(`--url http://127.0.0.1:${DEFAULT_WEBHOOK_PORT}`);
  expect(README).toContain(`up to ${DELIVERY_WAIT_MS / 1000} seconds`);
});

test('is short', () => {
  expect(README.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(750);
});
