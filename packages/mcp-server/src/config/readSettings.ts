import { readFileSync } from 'node:fs';
import { checkConnection, readApiKey, type Connection } from '@qr-service/core/connector';
import type { ServeOptions } from './readArguments.ts';
import { readVariable } from './readVariable.ts';
import { UsageError } from './UsageError.ts';

/** Where each field of the connection comes from, besides the file. */
const VARIABLES: Record<keyof Connection, string> = {
  apiKey: 'QR_SERVICE_API_KEY',
  baseUrl: 'QR_SERVICE_BASE_URL',
  authHeader: 'QR_SERVICE_AUTH_HEADER',
  headerPrefix: 'QR_SERVICE_HEADER_PREFIX',
  allowedTargets: 'QR_SERVICE_ALLOWED_TARGETS',
};

/**
 * Reads the connection: each field from the command line, else from its environment variable, else from the file, else its
 * default.
 * @throws UsageError, without showing any value, if it isn't valid
 */
export function readSettings(
  environment: NodeJS.ProcessEnv,
  { configFile, allowedTargets }: Pick<ServeOptions, 'allowedTargets' | 'configFile'> = {},
): Connection {
  const fields = configFile === undefined ? {} : readFile(configFile);
  for (const [field, variable] of Object.entries(VARIABLES)) {
    const value = readVariable(environment, variable);
    if (value !== undefined) fields[field] = value;
  }
  if (allowedTargets !== undefined) fields['allowedTargets'] = allowedTargets;
  try {
    const connection = checkConnection(fields);
    if (connection.apiKey === '')
      throw new UsageError(
        `There is no API key. Create one in the app and set ${VARIABLES.apiKey}, or apiKey in the file of --config.`,
      );
    return { ...connection, apiKey: readApiKey(connection.apiKey) };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function readFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The file of --config can't be read (${String((error as NodeJS.ErrnoException).code)}).`,
    );
  }
  // What a parser says about invalid JSON may contain the key.
  const content = parse(text);
  if (content === undefined) throw new UsageError('The file of --config must contain a JSON object.');
  const known = Object.keys(VARIABLES);
  if (Object.keys(content).some((name) => !known.includes(name)))
    throw new UsageError(`The file of --config has unknown fields. Known fields: ${known.join(', ')}.`);
  return content;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
