import { inspect } from 'node:util';
import { describeError, errorText, type ErrorWords } from '@qr-service/core/connector';
import { QrServiceClient, type QrCode, type QrServiceError, type Transport } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { createZapierEngine, readStepFailure } from '../../engines/zapier/index.ts';
import { PACKAGE_DIR } from '../n8n/support/world.ts';
import { action, codeBy, NODE } from '../n8n/support/workflows.ts';
import { NOW, type Failure } from './responses.ts';

/** Result of a step. */
export interface Outcome {
  /** IDs of the returned codes, if the step succeeded. */
  ids?: unknown[];
  /** The returned codes. */
  rows?: object[];
  /** Error text shown to the user, starting with the title. */
  text?: string;
  /** The error's `code`, if the platform keeps it. */
  code?: string | undefined;
  /** Class name of the error that the platform sees. */
  errorName?: string;
  /** Everything retained from the run: the error with all its properties, and the log. */
  retained: string;
}

/** A transport, driven through the platform's steps. */
export interface TransportUnderTest {
  /** Maximum number of attempts. */
  attempts: number;
  /** The platform's words in errors. */
  words: ErrorWords;
  /** An error's whole text, including the details for support if the platform shows them there. */
  told: (text: string, reference?: string) => string;
  /** Expected error for a failure. */
  errorFor: (failure: Failure) => Partial<Outcome>;
  /** Runs a write. */
  publish: () => Promise<Outcome>;
  /** Runs a read. */
  list: () => Promise<Outcome>;
  /** Reads a whole list. */
  walk: () => Promise<Outcome>;
  /** Downloads the image of `qr_1`. */
  render: () => Promise<Outcome>;
  close?: () => Promise<void>;
}

interface Connection {
  baseUrl: string;
  apiKey: string;
}

const inspectDeeply = (value: unknown) => inspect(value, { depth: 20, showHidden: true });

function overClient(connection: Connection, transport: Transport): Promise<TransportUnderTest> {
  const sleep = () => Promise.resolve();
  const client = new QrServiceClient({ ...connection, transport, sleep, now: () => NOW });
  const outcomeOf = async (run: Promise<{ id: string }[]>): Promise<Outcome> => {
    try {
      const rows = await run;
      return { ids: rows.map(({ id }) => id), rows, retained: inspectDeeply(rows) };
    } catch (error) {
      const text = errorText(describeError(error));
      const { name, code } = error as QrServiceError;
      return {
        text,
        code,
        errorName: name,
        retained: inspectDeeply(error) + JSON.stringify(error),
      };
    }
  };
  return Promise.resolve({
    attempts: 5,
    words: { credential: 'settings', rerun: 'retry' },
    told: (text, reference) => (reference === undefined ? text : `${text} (${reference})`),
    errorFor: ({ code }) => ({ code }),
    publish: () => outcomeOf(client.qr.publish('qr_1').then((code) => [code])),
    list: () => outcomeOf(client.qr.listPage().then(({ rows }) => rows)),
    walk: () =>
      outcomeOf(
        (async () => {
          const codes: QrCode[] = [];
          for await (const code of client.qr.list()) codes.push(code);
          return codes;
        })(),
      ),
    render: () => outcomeOf(client.qr.render('qr_1').then(() => [])),
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
    if (result.error === undefined) {
      const rows = result.data[NODE]!.map(({ json }) => json);
      return { ids: rows.map((row) => row['id']), rows, retained };
    }
    const { name, message, description = '' } = result.error;
    return {
      text: `${message}. ${description}`,
      errorName: name,
      retained,
    };
  };
  return {
    attempts: 5,
    words: { credential: 'credential', rerun: 'run the node again' },
    told: (text) => text,
    errorFor: ({ code }) => ({ errorName: code.startsWith('http_') ? 'NodeApiError' : 'NodeOperationError' }),
    publish: () => run({ operation: 'publish', qrCodeId: codeBy('id', 'qr_1') }),
    list: () => run({ operation: 'getAll', returnAll: true }),
    walk: () => run({ operation: 'getAll', returnAll: true }),
    render: () => run({ operation: 'render', qrCodeId: codeBy('id', 'qr_1') }),
  };
}

async function overZapier({ baseUrl, apiKey }: Connection): Promise<TransportUnderTest> {
  const log: unknown[] = [];
  const engine = await createZapierEngine({ auth: { apiKey, baseUrl }, log: (line) => log.push(line) });
  const outcomeOf = async (run: Promise<Record<string, unknown>[]>): Promise<Outcome> => {
    try {
      const rows = await run;
      return { ids: rows.map((row) => row['id']), rows, retained: inspectDeeply([rows, log]) };
    } catch (error) {
      const { message, code, name } = readStepFailure(error);
      return { text: message, code, errorName: name, retained: inspectDeeply([error, log]) };
    }
  };
  return {
    attempts: 4,
    words: { credential: 'connection', rerun: 'run this step again' },
    told: (error, reference) => {
      // Zapier waits itself.
      const text = error.replace(
        /(?<=Wait 120 seconds, then ).*(?=\.$)/,
        'test again. Zapier runs a live Zap again by itself',
      );
      return reference === undefined ? text : `${text} (${reference})`;
    },
    // Never an ExpiredAuthError, which would make Zapier ask the user to reconnect.
    errorFor: ({ code, hasRetryTime }) =>
      hasRetryTime === true ? { errorName: 'ThrottledError' } : { errorName: 'AppError', code },
    publish: () => outcomeOf(engine.create('publish_qr_code', { qrCodeId: 'qr_1' }).then((row) => [row])),
    list: () => outcomeOf(engine.poll('qr_changed')),
    walk: () => outcomeOf(engine.search('find_qr_code', { searchBy: 'name', value: 'Door' })),
    render: () =>
      outcomeOf(
        engine
          .create('render_qr_code', { qrCodeId: 'qr_1' })
          .then(({ file }) => engine.hydrateFile(file))
          .then(() => []),
      ),
    close: () => engine.close(),
  };
}

/** The three transports, each with everything built on it. */
export const TRANSPORTS = {
  undici: (connection: Connection) => overClient(connection, undiciTransport()),
  n8n: overN8n,
  Zapier: overZapier,
};
