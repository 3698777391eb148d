import { readFile, rename, writeFile } from 'node:fs/promises';
import { STATE_FORMAT, type LoadedState, type StateFile } from '../../control/stateFile.ts';
import { CommandError, type CommandDefinition, type CommandInput } from '../support/command.ts';
import { UsageError } from '../support/UsageError.ts';

/** `snapshot save|load <file>`: keeps the whole state in a file. */
export const SNAPSHOT: CommandDefinition = {
  name: 'snapshot',
  args: ['<save|load>', '<file>'],
  about: 'save everything to a file, or load it from one',
  options: {
    'with-secrets': { help: 'With save: include the signing secrets of the subscriptions.' },
  },
  help: `Saves everything that the emulator stores, with its clock, faults and wire shape, as a JSON file. It can be
loaded later or on another machine. Loading replaces everything in the emulator and sends the deliveries
that were pending. A file that is damaged, foreign or newer is refused, and nothing changes.

  qr-service-emulator snapshot save bug.json
  qr-service-emulator snapshot load bug.json

What is in the file:
  API keys         only as SHA-256 hashes. The keys keep working, but can't be read from the file. A short
                   key of your own can be guessed.
  Signing secrets  only with --with-secrets. Without them, a subscription gets a new secret when the file is
                   loaded, unless the emulator already has it. Receivers then refuse its deliveries until
                   they subscribe again, so use --with-secrets for files that you keep for yourself.
  Everything else  as it is: names, destinations, webhook URLs, scans, events and their data. Look through
                   it before you publish the file.
The request log isn't in it.`,
  async run(input) {
    const [action = '', file = ''] = input.words;
    if (action === 'save') return save(file, input);
    if (action === 'load') return load(file, input);
    throw new UsageError(`Use snapshot save ${file} or snapshot load ${file}, not ${action}.`);
  },
};

async function save(file: string, { values, emulator, print }: CommandInput): Promise<void> {
  await checkReplaceable(file);
  const withSecrets = values['with-secrets'] === true;
  const state = (await emulator.call('GET', withSecrets ? '/state?secrets=true' : '/state')) as StateFile;
  try {
    // In two steps, so that a half-written file never replaces a whole one.
    await writeFile(`${file}.part`, `${JSON.stringify(state)}\n`, { mode: withSecrets ? 0o600 : 0o666 });
    await rename(`${file}.part`, file);
  } catch (error) {
    throw fileError(file, "can't be written", error);
  }
  const secrets = withSecrets
    ? 'It contains the signing secrets: keep it to yourself.'
    : 'It contains no signing secrets, and API keys only as hashes.';
  print(`Saved to ${file}. ${secrets}`, { file, withSecrets, savedAt: state.savedAt });
}

async function load(file: string, { values, emulator, print }: CommandInput): Promise<void> {
  if (values['with-secrets'] === true)
    throw new UsageError('--with-secrets is for snapshot save. Loading uses the secrets that the file has.');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fileError(file, "can't be read", error);
  });
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch (error) {
    throw new CommandError(
      `Can't load ${file}, and nothing was changed. It isn't a snapshot, or it is damaged: it isn't valid JSON.`,
      { cause: error },
    );
  }
  let loaded: LoadedState;
  try {
    loaded = (await emulator.call('PUT', '/state', { file: state })) as LoadedState;
  } catch (error) {
    // Other errors aren't about the file.
    const about = error instanceof CommandError ? /^(?:It|file) (.*)/s.exec(error.message)?.[1] : undefined;
    if (about === undefined) throw error;
    throw new CommandError(`Can't load ${file}, and nothing was changed. It ${about}`, { cause: error });
  }
  const { codes, subscriptions, deliveries, scans, keys, newSecrets } = loaded;
  const contents = `codes: ${codes}, subscriptions: ${subscriptions}, deliveries: ${deliveries}, scans: ${scans}, keys: ${keys}`;
  const replaced =
    newSecrets === 0
      ? ''
      : ` Signing secrets replaced, as the file has none: ${newSecrets}. Their receivers must subscribe again.`;
  print(`Loaded ${file} (${contents}).${replaced}`, { file, ...loaded });
}

/** @throws CommandError when the file exists and isn't a snapshot, so that a typo overwrites nothing */
async function checkReplaceable(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(file, "can't be written", error);
  });
  if (text !== undefined && !text.startsWith(`{"format":"${STATE_FORMAT}"`))
    throw new CommandError(
      `${file} exists and isn't a snapshot, so it wasn't overwritten. Choose another file.`,
    );
}

function fileError(file: string, what: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CommandError(`${file} ${what} (${code ?? message}).`, { cause: error });
}
