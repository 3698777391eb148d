import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EVENT_TYPES } from '@qr-service/core';
import { CommandError, type CommandDefinition } from '../support/command.ts';
import { UsageError } from '../support/UsageError.ts';

const MAX_COUNT = 10_000;

/** `trigger <event>`: emits an event. */
export const TRIGGER: CommandDefinition = {
  name: 'trigger',
  args: ['<event>'],
  about: 'emit an event to every subscription that includes it',
  options: {
    count: { value: '<number>', help: `How many times to emit it, up to ${MAX_COUNT}. Default: 1.` },
    data: {
      value: '<file>',
      help: "JSON file with the event's data; - reads it from stdin. Without it, the data is\ninvented: about a code of this workspace that fits the event, or a sample.",
    },
  },
  help: `Emits an event, as if it had happened in the service, and prints how many subscriptions it is sent
to. It changes no codes. If no subscription includes the event, it says so.

  qr-service-emulator trigger qr.published
  qr-service-emulator trigger feedback.response_received --count 20
  echo '{"exportId":"exp_1"}' | qr-service-emulator trigger export.ready --data -

Events:
${EVENT_TYPES.map((type) => `  ${type}`).join('\n')}`,
  async run({ words: [type = ''], values, emulator, print }) {
    if (!(EVENT_TYPES as readonly string[]).includes(type))
      throw new UsageError(`Unknown event ${type}. Use one of: ${EVENT_TYPES.join(', ')}.`);
    const count = readCount(values['count'] ?? '1');
    const data = typeof values['data'] === 'string' ? await readData(values['data']) : undefined;
    for (let nth = 0; nth < count; nth++) {
      const event = (await emulator.call(
        'POST',
        '/events',
        data === undefined ? { type } : { type, data },
      )) as {
        id: string;
        subscriptions: number;
      };
      print(`${event.id}  ${type}  ${heardBy(event.subscriptions)}`, event);
    }
  },
};

function heardBy(subscriptions: number): string {
  if (subscriptions === 0)
    return 'sent to nobody: no subscription includes this event. Turn on a trigger, or add a subscription in the inspector.';
  return `sent to ${subscriptions} subscription${subscriptions === 1 ? '' : 's'}`;
}

function readCount(value: string | boolean): number {
  const count = /^\d{1,5}$/.test(String(value)) ? Number(value) : NaN;
  if (!(count >= 1 && count <= MAX_COUNT))
    throw new UsageError(`--count must be a whole number from 1 to ${MAX_COUNT}, not ${String(value)}.`);
  return count;
}

async function readData(file: string): Promise<object> {
  const source = file === '-' ? 'The data on stdin' : `The data in ${file}`;
  let data: unknown;
  try {
    data = JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === undefined
        ? `${source} isn't valid JSON: ${message.replaceAll(/\s+/g, ' ').replace(/ is not valid JSON$/, '')}.`
        : `${source} can't be read (${code}).`,
      { cause: error },
    );
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new CommandError(`${source} must be a JSON object: { … }. The emulator adds the envelope.`);
  return data;
}
