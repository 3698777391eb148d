import { after } from 'node:test';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { selectParts } from '../../support/suite/selectParts.ts';
import type { CredentialRef } from '../support/n8n/n8nRest.ts';
import { PUBLIC_HOST } from '../support/n8n/n8nServer.ts';
import { openSheet, type Sheet } from '../support/n8n/sheet.ts';
import { credentialFor, CREDENTIAL_TYPE } from '../support/n8n/world.ts';
import { tally } from '../support/suite/step.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { activationSteps } from './steps/activation.ts';
import { eventSteps } from './steps/events.ts';
import { rowSteps } from './steps/rows.ts';

/** n8n in queue mode with the package, the emulator, and a sheet to write to. */
export interface QueueWorld {
  cluster: Cluster;
  emulator: Emulator;
  /** A client of the same service, independent of n8n. */
  client: QrServiceClient;
  credential: CredentialRef;
  sheet: Sheet;
}

/** The parts, in order. */
const PARTS = {
  rows: rowSteps,
  events: eventSteps,
  activation: activationSteps,
};

/** Runs the selected parts, by default all, on one n8n in queue mode. */
export async function run(args: string[]): Promise<void> {
  const names = selectParts(PARTS, args);
  console.log('Starting Redis, PostgreSQL, and n8n as one main, one webhook processor and two workers …');
  const cluster = await startCluster();
  const emulator = await startEmulator({ connectTo: { [PUBLIC_HOST]: cluster.address }, retryBaseMs: 300 });
  const { url: baseUrl, apiKey } = emulator;
  const client = new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() });
  const credential = await cluster.n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator));
  const sheet = await openSheet();
  after(async () => {
    if (tally.failed > 0) console.log(`\nOutput of the processes:\n${cluster.log()}`);
    await cluster.stop();
    await emulator.stop();
    await sheet.close();
  });
  for (const name of names) PARTS[name]({ cluster, emulator, client, credential, sheet });
}
