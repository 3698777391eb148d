import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IDataObject } from 'n8n-workflow';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { installToolOrExit } from '../../../../scripts/tools/install.ts';
import { withTarball } from '../../../../scripts/packages.ts';
import { startLoadBalancer, type LoadBalancer } from './loadBalancer.ts';
import { UsageError } from '../../../support/suite/UsageError.ts';
import { connectRest, type CredentialRef, type N8nRest } from './n8nRest.ts';
import {
  externalServer,
  PUBLIC_HOST,
  startN8nServer,
  type N8nServer,
  type N8nServerOptions,
} from './n8nServer.ts';

export const PACKAGE_DIR = fileURLToPath(
  new URL('../../../../packages/n8n-nodes-qr-service/', import.meta.url),
);

const INSTALLATION = `see "Install from the command line" in ${PACKAGE_DIR}README.md.`;

export const CREDENTIAL_TYPE = 'qrServiceApi';

/** A signed-in n8n server with the package, and the emulator. */
export interface World {
  server: N8nServer;
  n8n: N8nRest;
  /** In front of n8n: the emulator delivers through it. */
  loadBalancer: LoadBalancer;
  emulator: Emulator;
  /** A client of the same service, independent of n8n. */
  client: QrServiceClient;
  credential: CredentialRef;
  stop(): Promise<void>;
}

/** A server that runs already. */
export interface RunningN8n {
  url: string;
  /** Name of this machine for that server. Default: `127.0.0.1`. */
  host?: string;
}

const PUBLIC_URL = `https://${PUBLIC_HOST}/`;

/** Installs, packs and starts everything. */
export const startWorld = async (
  options: EmulatorOptions = {},
  serverOptions: N8nServerOptions = {},
): Promise<World> =>
  completeWorld(await startConnectedServer({ publicUrl: PUBLIC_URL, ...serverOptions }), options);

/** Uses a server that runs already. @throws UsageError if it isn't set up for the tests */
export async function joinWorld({ url, host }: RunningN8n): Promise<World> {
  const server = externalServer(url.replace(/\/$/, ''));
  const n8n = connectRest(server.url, host);
  await n8n.signIn();
  const { webhookUrl, isKnown } = await n8n.setup(`${basename(PACKAGE_DIR)}.qrService`);
  if (webhookUrl !== PUBLIC_URL)
    throw new UsageError(`Start n8n with N8N_WEBHOOK_URL=${PUBLIC_URL}. Its webhooks are at ${webhookUrl}.`);
  if (!isKnown) throw new UsageError(`${url} lacks the package: ${INSTALLATION}`);
  return completeWorld({ server, n8n }, {});
}

async function completeWorld(
  { server, n8n }: { server: N8nServer; n8n: N8nRest },
  options: EmulatorOptions,
): Promise<World> {
  const loadBalancer = await startLoadBalancer(server.url);
  const emulator = await startEmulator({
    connectTo: { [PUBLIC_HOST]: loadBalancer.address },
    // A restart may take over half a minute on a busy machine: the last retry is after 38 s.
    retryBaseMs: 600,
    ...options,
  });
  return {
    server,
    n8n,
    loadBalancer,
    emulator,
    client: new QrServiceClient({
      baseUrl: emulator.url,
      apiKey: emulator.apiKey,
      transport: undiciTransport(),
    }),
    credential: await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator)),
    async stop() {
      await server.stop();
      await emulator.stop();
      await loadBalancer.close();
    },
  };
}

/** Starts a server with the packed package, and signs in. */
export async function startConnectedServer(
  options: N8nServerOptions = {},
): Promise<{ server: N8nServer; n8n: N8nRest }> {
  const program = await installToolOrExit('n8n');
  return withTarball(PACKAGE_DIR, async (tarball) => {
    const server = await startN8nServer(program, { tarball, ...options });
    const n8n = connectRest(server.url);
    await n8n.signIn();
    return { server, n8n };
  });
}

/** Credential fields for a service. */
export function credentialFor({ url, apiKey }: { url: string; apiKey: string }): IDataObject {
  return { baseUrl: url, apiKey };
}
