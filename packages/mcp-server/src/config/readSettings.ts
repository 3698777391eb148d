import { readFileSync } from 'node:fs';
import {
  readApiKey,
  readBaseUrl,
  readConnection,
  readHeaderPrefix,
  type Connection,
} from '@qr-service/core/connector';
import { readVariable } from './readVariable.ts';
import { UsageError } from './UsageError.ts';

/** Where each field of the connection comes from, besides the file. */
const VARIABLES = {
  apiKey: 'QR_SERVICE_API_KEY',
  baseUrl: 'QR_SERVICE_BASE_URL',
  authHeader: 'QR_SERVICE_AUTH_HEADER',
  headerPrefix: 'QR_SERVICE_HEADER_PREFIX',
} as const satisfies Record<keyof Connection, string>;

const FIELDS = Object.keys(VARIABLES) as (keyof Connection)[];

/**
 * Reads the connection: each field from its environment variable, else from the file, else its default.
 * @throws UsageError, without showing any value, if it isn't valid
 */
export function readSettings(environment: NodeJS.ProcessEnv, configFile?: string): Connection {
  const fields: Partial<Record<keyof Connection, unknown>> =
    configFile === undefined ? {} : readFile(configFile);
  for (const field of FIELDS) {
    const value = readVariable(environment, VARIABLES[field]);
    if (value !== undefined) fields[field] = value;
  }
  try {
    const connection = readConnection(fields);
    if (connection.apiKey === '')
      throw new UsageError(
        `There is no API key. Create one in the app and set ${VARIABLES.apiKey}, or apiKey in the file of --config.`,
      );
    readBaseUrl(connection.baseUrl);
    readHeaderPrefix(connection.headerPrefix);
    return { ...connection, apiKey: readApiKey(connection.apiKey) };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

function readFile(path: string): Partial<Record<keyof Connection, unknown>> {
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
  const unknown = Object.keys(content).filter((name) => !FIELDS.includes(name as keyof Connection));
  if (unknown.length > 0)
    throw new UsageError(`The file of --config has unknown fields. Known fields: ${FIELDS.join(', ')}.`);
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
