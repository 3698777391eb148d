import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as emulator from 'qr-service-emulator';
import { readArguments } from '../src/cli/arguments.ts';

const README = readFileSync(join(__dirname, '../README.md'), 'utf8');

/** The example for jest, run here unchanged. */
const LINES = /^## Tests and CI$.*?```js\n(.*?)```/ms.exec(README)?.[1] ?? '';

describe("the README's example of a test", () => {
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

describe('the README', () => {
  const jsBlocks = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);

  it('has fault and wire-shape examples that run', async () => {
    const examples = jsBlocks.filter((code) => !code.startsWith('import '));
    expect(examples).toHaveLength(2);
    const service = await emulator.startEmulator();
    const started: emulator.Emulator[] = [service];
    const start = async (options: emulator.EmulatorOptions) =>
      void started.push(await emulator.startEmulator(options));
    for (const code of examples) {
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code is the README's own
      const example = new Function('service', 'startEmulator', `return (async () => {${code}})()`) as (
        ...args: unknown[]
      ) => Promise<void>;
      await example(service, start);
    }
    expect(service.control.faults().map(({ left }) => left)).toEqual([1, 3]);
    expect(started[1]?.control.wireShape()).toMatchObject({ listKey: 'items', reset: 'epoch seconds' });
    await Promise.all(started.map((each) => each.stop()));
  });

  it('has a seed that can be used', async () => {
    const seed = JSON.parse(/```json\n(.*?)```/s.exec(README)?.[1] ?? '') as emulator.Seed;
    const service = await emulator.startEmulator({ seed });
    expect(service.control.subscriptions()).toMatchObject([{ secret: 'whsec_known' }]);
    await service.stop();
  });

  it('has commands that start the emulator', () => {
    const commands = [...README.matchAll(/^(?:npx )?qr-service-emulator(.*?)(?: +[#>&].*)?$/gm)].map(
      ([, options = '']) =>
        (options.replaceAll(/<.*>/g, 'tunnel').match(/'[^']*'|\S+/g) ?? []).map((word) =>
          word.replaceAll("'", ''),
        ),
    );
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.map((args) => readArguments(args, {}).kind)).toEqual(commands.map(() => 'start'));
  });

  it('has requests that the control API accepts', async () => {
    const requests = [...README.matchAll(/^curl -X (\w+) localhost:4010(\S+) -d '(.*)'$/gm)];
    expect(requests.length).toBeGreaterThan(1);
    const service = await emulator.startEmulator();
    for (const [command, method = '', path = '', body = ''] of requests) {
      const { ok } = await fetch(service.url + path, { method, body });
      expect([command, ok]).toEqual([command, true]);
    }
    await service.stop();
  });
});
