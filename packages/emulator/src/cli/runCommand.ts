import { parseArgs } from 'node:util';
import { COMMANDS } from './commands/index.ts';
import {
  parseConfig,
  type CommandDefinition,
  type OptionDefinition,
  type OptionValues,
} from './support/command.ts';
import { createControlClient, DEFAULT_URL } from './support/controlClient.ts';
import { UsageError } from './support/UsageError.ts';

/** Options of every command. */
const COMMON: Readonly<Record<string, OptionDefinition>> = {
  url: { value: '<url>', help: `Address of the emulator, as it printed it. Default: ${DEFAULT_URL}.` },
  json: { help: 'Print JSON, one value on each line.' },
  help: { help: 'Print this help.' },
};

/** The command with this name. */
export function findCommand(name: string | undefined): CommandDefinition | undefined {
  return COMMANDS.find((command) => command.name === name);
}

/**
 * Runs a command for a running emulator.
 * @param args what follows its name
 * @throws UsageError for invalid arguments, CommandError if it can't be done
 */
export async function runCommand(command: CommandDefinition, args: readonly string[]): Promise<void> {
  const { words, values } = parse(command, args);
  if (values['help'] === true) {
    process.stdout.write(commandHelp(command));
    return;
  }
  checkWords(command, words);
  const isJson = values['json'] === true;
  await command.run({
    words,
    values,
    emulator: createControlClient(typeof values['url'] === 'string' ? values['url'] : DEFAULT_URL),
    print: (line, json) => void process.stdout.write(`${isJson ? JSON.stringify(json) : line}\n`),
  });
}

/** How to type a command. */
function usageOf({ name, args, options = {} }: CommandDefinition): string {
  const parts = Object.entries(options).map(
    ([option, { value }]) => `[--${option}${value === undefined ? '' : ` ${value}`}]`,
  );
  return ['qr-service-emulator', name, ...args, ...parts].join(' ');
}

/** Output of `<command> --help`. */
function commandHelp(command: CommandDefinition): string {
  const options = Object.entries({ ...command.options, ...COMMON }).map(([name, { value, help }]) => {
    const [first = '', ...more] = help.split('\n');
    const option = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return [`  ${option.padEnd(20)} ${first}`, ...more.map((line) => ' '.repeat(23) + line)].join('\n');
  });
  return `${usageOf(command)}

${command.help.trim()}

Options:
${options.join('\n')}

Exit codes: 0 if it's done, 1 if not, with the reason on stderr.
`;
}

function parse(
  command: CommandDefinition,
  args: readonly string[],
): { words: readonly string[]; values: OptionValues } {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: { ...parseConfig({ ...command.options, ...COMMON }), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const given = values as OptionValues;
    const empty = Object.entries(given).find(([, value]) => value === '');
    if (empty !== undefined) throw new UsageError(`--${empty[0]} must not be empty. ${hint(command)}`);
    return { words: positionals, values: given };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}. ${hint(command)}`, { cause: error });
  }
}

function checkWords(command: CommandDefinition, words: readonly string[]): void {
  const { args } = command;
  const missing = args[words.length];
  if (missing !== undefined && !missing.startsWith('['))
    throw new UsageError(`${missing} is missing. ${hint(command)}`);
  const extra = words[args.length];
  if (extra !== undefined && args.at(-1)?.includes('…') !== true)
    throw new UsageError(`Unexpected argument '${extra}'. ${hint(command)}`);
}

function hint(command: CommandDefinition): string {
  return `Usage: ${usageOf(command)}; see ${command.name} --help.`;
}
