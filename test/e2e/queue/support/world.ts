import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { PUBLIC_HOST } from '../../n8n/support/n8nServer.ts';
import type { CredentialRef } from '../../n8n/support/n8nRest.ts';
import { credentialFor, CREDENTIAL_TYPE } from '../../n8n/support/world.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { openSheet, type Sheet } from './sheet.ts';

/** n8n in queue mode with the package in it, the service, and a sheet to write to. */
export interface QueueWorld {
  cluster: Cluster;
  emulator: Emulator;
  /** Of the same service, beside n8n. */
  client: QrServiceClient;
  credential: CredentialRef;
  sheet: Sheet;
  stop(): Promise<void>;
}

/** @param say told what takes long */
export async function startQueueWorld(say: (line: string) => void): Promise<QueueWorld> {
  const cluster = await startCluster(say);
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
    async stop() {
      await cluster.stop();
      await emulator.stop();
      await sheet.close();
    },
  };
}
