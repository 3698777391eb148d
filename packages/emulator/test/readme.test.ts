import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as emulator from 'qr-service-emulator';

const README = readFileSync(join(__dirname, '../README.md'), 'utf8');

describe("the README's example of a test", () => {
  const LINES = /^## Tests and CI$.*?```js\n(.*?)```/ms.exec(README)?.[1] ?? '';
  const IMPORT = "import { startEmulator } from 'qr-service-emulator';";

  it('imports the package', () => {
    expect(LINES).toContain(IMPORT);
  });

  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code is the README's own
  const run = new Function('startEmulator', LINES.replace(IMPORT, '')) as (
    start: typeof emulator.startEmulator,
  ) => void;
  run(emulator.startEmulator);
});

it('has a seed that can be used', async () => {
  const seed = JSON.parse(/```json\n(.*?)```/s.exec(README)?.[1] ?? '') as emulator.Seed;
  const service = await emulator.startEmulator({ seed });
  expect(service.control.subscriptions()).toMatchObject([{ secret: 'whsec_known' }]);
  await service.stop();
});

it('has requests that the control API accepts', async () => {
  const requests = [...README.matchAll(/^curl localhost:4010(\/\S+)(?: -d '(.*)')?$/gm)];
  expect(requests.length).toBeGreaterThan(1);
  const service = await emulator.startEmulator();
  for (const [command, path = '', body = ''] of requests) {
    const { ok } = await fetch(service.url + path, { method: 'POST', body });
    expect([command, ok]).toEqual([command, true]);
  }
  await service.stop();
});
