import { inspect } from 'node:util';
import { describeError } from '@qr-service/core/connector';
import { QrServiceClient, type QrServiceError } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { createZapierEngine, readStepFailure } from '../../engines/zapier/index.ts';
import { PACKAGE_DIR } from '../n8n/support/world.ts';
import { action, codeBy, NODE } from '../n8n/support/workflows.ts';
import { NOW, type Failure } from './responses.ts';

/** What a step ends with. */
export interface Outcome {
  /** Ids of the codes that came, where the step succeeded. */
  ids?: unknown[];
  /** All that the user reads about a failure, title first. */
  text?: string;
  /** The error's `code`, where the platform keeps it. */
  code?: string | undefined;
  /** The class of the error that the platform sees. */
  errorName?: string;
  /** All that is kept of the run: the error with all that hangs on it, and the log. */
  retained: string;
}

/** A way for requests to the service, from the step that a user runs. */
export interface TransportUnderTest {
  /** How often a request is sent at the most. */
  attempts: number;
  /** The error that the platform sees. */
  errorFor: (failure: Failure) => Partial<Outcome>;
  /** A write. */
  publish: () => Promise<Outcome>;
  /** A read. */
  list: () => Promise<Outcome>;
  close?: () => Promise<void>;
}

interface Connection {
  baseUrl: string;
  apiKey: string;
}

const inspectDeeply = (value: unknown) => inspect(value, { depth: 20, showHidden: true });

function overUndici(connection: Connection): Promise<TransportUnderTest> {
  const sleep = () => Promise.resolve();
  const client = new QrServiceClient({ ...connection, transport: undiciTransport(), sleep, now: () => NOW });
  const outcomeOf = async (run: Promise<{ id: string }[]>): Promise<Outcome> => {
    try {
      const rows = await run;
      return { ids: rows.map(({ id }) => id), retained: inspectDeeply(rows) };
    } catch (error) {
      const { message, description } = describeError(error);
      const { name, code } = error as QrServiceError;
      return {
        text: `${message} ${description}`,
        code,
        errorName: name,
        retained: inspectDeeply(error) + JSON.stringify(error),
      };
    }
  };
  return Promise.resolve({
    attempts: 5,
    errorFor: ({ code }) => ({ code }),
    publish: () => outcomeOf(client.qr.publish('qr_1').then((code) => [code])),
    list: () => outcomeOf(client.qr.listPage().then(({ rows }) => rows)),
  });
}

async function overN8n(connection: Connection): Promise<TransportUnderTest> {
  const log: unknown[] = [];
  const engine = await createN8nEngine({
    packageDir: PACKAGE_DIR,
    credentials: { qrServiceApi: { ...connection } },
    onLog: (line) => log.push(line),
  });
  const run = async (parameters: Parameters<typeof action>[0]): Promise<Outcome> => {
    const result = await engine.runWorkflow(action(parameters));
    const retained = inspectDeeply([result, log]) + JSON.stringify(result);
    if (result.error === undefined)
      return { ids: result.data[NODE]!.map(({ json }) => json['id']), retained };
    const { name, message, description = '' } = result.error;
    return {
      text: `${message.replace(/ \[item 0\]$/, '')} ${description}`,
      errorName: name,
      retained,
    };
  };
  return {
    attempts: 5,
    errorFor: ({ code }) => ({ errorName: code.startsWith('http_') ? 'NodeApiError' : 'NodeOperationError' }),
    publish: () => run({ operation: 'publish', qrCodeId: codeBy('id', 'qr_1') }),
    list: () => run({ operation: 'getAll', returnAll: true }),
  };
}

async function overZapier({ baseUrl, apiKey }: Connection): Promise<TransportUnderTest> {
  const log: unknown[] = [];
  const engine = await createZapierEngine({ auth: { apiKey, baseUrl }, log: (line) => log.push(line) });
  const outcomeOf = async (run: Promise<Record<string, unknown>[]>): Promise<Outcome> => {
    try {
      const rows = await run;
      return { ids: rows.map((row) => row['id']), retained: inspectDeeply([rows, log]) };
    } catch (error) {
      const { message, code, name } = readStepFailure(error);
      return { text: message, code, errorName: name, retained: inspectDeeply([error, log]) };
    }
  };
  return {
    attempts: 4,
    // Never an ExpiredAuthError, which would ask to reconnect.
    errorFor: ({ code, hasRetryTime }) =>
      hasRetryTime === true ? { errorName: 'ThrottledError' } : { errorName: 'AppError', code },
    publish: () => outcomeOf(engine.create('publish_qr_code', { qrCodeId: 'qr_1' }).then((row) => [row])),
    list: () => outcomeOf(engine.poll('qr_changed')),
    close: () => engine.close(),
  };
}

/** The three transports, each below all that stands on it. */
export const TRANSPORTS = { undici: overUndici, n8n: overN8n, Zapier: overZapier };
