import { inspect } from 'node:util';
import { QrServiceClient, type QrServiceError } from '@qr-service/core';
import { describeError, errorText } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { createN8nEngine } from '../../engines/n8n/index.ts';
import { createZapierEngine, readStepFailure } from '../../engines/zapier/index.ts';
import { action, codeBy, NODE } from '../n8n/support/workflows.ts';
import { PACKAGE_DIR } from '../n8n/support/world.ts';
import { NOW } from './responses.ts';

/** Result of publishing the code `qr_1`. */
interface Outcome {
  /** ID of the returned code, if it succeeded. */
  id?: unknown;
  /** Error text shown to the user, starting with the title. */
  text?: string;
  /** Everything retained from the run: the error with all its properties, and the log. */
  retained: string;
}

/** A transport with everything that a platform builds on it. */
export interface TransportUnderTest {
  /** Maximum number of attempts. */
  attempts: number;
  publish: () => Promise<Outcome>;
  close?: () => Promise<void>;
}

interface Connection {
  baseUrl: string;
  apiKey: string;
}

const inspectDeeply = (value: unknown) => inspect(value, { depth: 20, showHidden: true });

function overUndici(connection: Connection): Promise<TransportUnderTest> {
  const sleep = () => Promise.resolve();
  const transport = undiciTransport();
  const client = new QrServiceClient({ ...connection, transport, sleep, now: () => NOW });
  const publish = () =>
    client.qr.publish('qr_1').then(
      (code): Outcome => ({ id: code.id, retained: inspectDeeply(code) }),
      (reason: unknown): Outcome => {
        const error = reason as QrServiceError;
        const retained = inspectDeeply(error) + JSON.stringify(error);
        return { text: errorText(describeError(error)), retained };
      },
    );
  return Promise.resolve({ attempts: 5, publish });
}

async function overN8n(connection: Connection): Promise<TransportUnderTest> {
  const log: unknown[] = [];
  const engine = await createN8nEngine({
    packageDir: PACKAGE_DIR,
    credentials: { qrServiceApi: { ...connection } },
    onLog: (line) => log.push(line),
  });
  const publish = async (): Promise<Outcome> => {
    const result = await engine.runWorkflow(action({ operation: 'publish', qrCodeId: codeBy('id', 'qr_1') }));
    const retained = inspectDeeply([result, log]) + JSON.stringify(result);
    if (result.error === undefined) return { id: result.data[NODE]![0]!.json['id'], retained };
    return { text: `${result.error.message}. ${result.error.description ?? ''}`, retained };
  };
  return { attempts: 5, publish };
}

async function overZapier({ baseUrl, apiKey }: Connection): Promise<TransportUnderTest> {
  const log: unknown[] = [];
  const engine = await createZapierEngine({ auth: { apiKey, baseUrl }, log: (line) => log.push(line) });
  const publish = () =>
    engine.create('publish_qr_code', { qrCodeId: 'qr_1' }).then(
      ({ id }): Outcome => ({ id, retained: inspectDeeply(log) }),
      (error: unknown): Outcome => ({
        text: readStepFailure(error).message,
        retained: inspectDeeply([error, log]),
      }),
    );
  return { attempts: 4, publish, close: () => engine.close() };
}

export const TRANSPORTS = { undici: overUndici, n8n: overN8n, Zapier: overZapier };
