import { checkConnection, readApiKey, type Connection } from '@qr-service/core/connector';
import type { ProbeOptions } from './readArguments.ts';
import { UsageError } from './UsageError.ts';

/**
 * Reads the connection from the command line and the environment, and asks for the key if it isn't there.
 * @param askKey asks the user; undefined if there is no terminal
 * @throws UsageError, without showing any value, if it isn't valid
 */
export async function readSettings(
  { baseUrl, authHeader, headerPrefix }: ProbeOptions,
  environment: NodeJS.ProcessEnv,
  askKey: (() => Promise<string>) | undefined,
): Promise<Connection> {
  const connection = valid(() =>
    checkConnection({
      baseUrl: baseUrl ?? environment['QR_SERVICE_BASE_URL'],
      authHeader: authHeader ?? environment['QR_SERVICE_AUTH_HEADER'],
      headerPrefix: headerPrefix ?? environment['QR_SERVICE_HEADER_PREFIX'],
    }),
  );
  const apiKey = environment['QR_SERVICE_API_KEY']?.trim() || (await askFor('QR_SERVICE_API_KEY', askKey));
  return { ...connection, apiKey: valid(() => readApiKey(apiKey)) };
}

/**
 * Asks for a secret that isn't in the environment.
 * @throws UsageError if there is no terminal
 */
export async function askFor(variable: string, ask: (() => Promise<string>) | undefined): Promise<string> {
  if (ask !== undefined) return ask();
  throw new UsageError(
    `${variable} isn't set, and there is no terminal to ask in. Set it and run the probe again.`,
  );
}

/** Prefix of the headers for `--replay`. */
export function readPrefix(headerPrefix: string | undefined, environment: NodeJS.ProcessEnv): string {
  const fields = { headerPrefix: headerPrefix ?? environment['QR_SERVICE_HEADER_PREFIX'] };
  return valid(() => checkConnection(fields)).headerPrefix;
}

function valid<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
