import type { ParseArgsConfig } from 'node:util';
import type { ControlClient } from './controlClient.ts';

/** Values of a command's options, by name. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** What a command gets to work with. */
interface CommandInput {
  /** The words after the command's name that aren't options, as `args` names them. */
  words: readonly string[];
  values: OptionValues;
  emulator: ControlClient;
  /** Prints one line; with `--json`, the value instead, as JSON on one line. */
  print: (line: string, json: unknown) => void;
}

/** A command for an emulator that is running. */
export interface CommandDefinition {
  name: string;
  /** Names of its arguments, in order, as `--help` shows them: `<event>`, `[event]` if optional, `[event…]` if several. */
  args: readonly string[];
  /** What it does, in a few words. */
  about: string;
  /** Its options besides `--url`, `--json` and `--help`, each with its help. */
  options?: Readonly<Record<string, OptionDefinition>>;
  /** More help, with examples. Lines of at most 100 characters. */
  help: string;
  /** @throws UsageError for invalid arguments, CommandError if it can't be done */
  run(input: CommandInput): Promise<void>;
}

/** An option of a command. */
export interface OptionDefinition {
  /** Name of its value, as `--help` shows it: `<file>`. Without one, it's a flag. */
  value?: string;
  /** One or more lines. */
  help: string;
}

/** A command can't do its work. The message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The options of `parseArgs` for a command's options. */
export function parseConfig(
  options: Readonly<Record<string, OptionDefinition>>,
): NonNullable<ParseArgsConfig['options']> {
  const entries = Object.entries(options).map(([name, { value }]) => {
    const type: 'boolean' | 'string' = value === undefined ? 'boolean' : 'string';
    return [name, { type }] as const;
  });
  return Object.fromEntries(entries);
}
