import { after } from 'node:test';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { PUBLIC_HOST } from '../n8n/n8nServer.ts';
import type { CredentialRef } from '../n8n/n8nRest.ts';
import { credentialFor, CREDENTIAL_TYPE } from '../n8n/world.ts';
import { hasFailures } from '../suite/step.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { openSheet, type Sheet } from './sheet.ts';

/** n8n in queue mode with the package, the emulator, and a sheet to write to. */
export interface QueueWorld {
  cluster: Cluster;
  emulator: Emulator;
  /** A client of the same service, independent of n8n. */
  client: QrServiceClient;
  credential: CredentialRef;
  sheet: Sheet;
}

/** Starts everything for the steps of a suite. Stops it after the last step, and prints the logs if one failed. */
export async function startQueueWorld(): Promise<QueueWorld> {
  console.log('Starting Redis, PostgreSQL, and n8n as one main, one webhook processor and two workers …');
  const world = await start();
  after(async () => {
    if (hasFailures()) console.log(`\nOutput of the processes:\n${world.cluster.log()}`);
    await world.cluster.stop();
    await world.emulator.stop();
    await world.sheet.close();
  });
  return world;
}

async function start(): Promise<QueueWorld> {
  const cluster = await startCluster(console.log);
  const emulator = await startEmulator({
    connectTo: { [PUBLIC_HOST]: cluster.address },
    retryBaseMs: 300,
  });
  const sheet = await openSheet();
  return {
    cluster,
    emulator,
    client: new QrServiceClient({
      baseUrl: emulator.url,
      apiKey: emulator.apiKey,
      transport: undiciTransport(),
    }),
    credential: await cluster.n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator)),
    sheet,
  };
}
