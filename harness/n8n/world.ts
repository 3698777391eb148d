import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IDataObject } from 'n8n-workflow';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { installToolOrExit } from '../../tools/install.ts';
import { npm } from '../process/npm.ts';
import { startLoadBalancer } from './loadBalancer.ts';
import { connectRest, type CredentialRef, type N8nRest } from './n8nRest.ts';
import { PUBLIC_HOST, startN8nServer, type N8nServer, type N8nServerOptions } from './n8nServer.ts';

export const PACKAGE_DIR = fileURLToPath(new URL('../../packages/n8n-nodes-qr-service/', import.meta.url));

export const CREDENTIAL_TYPE = 'qrServiceApi';

/** n8n with the package in it, signed in to, and the service. */
export interface World {
  server: N8nServer;
  n8n: N8nRest;
  emulator: Emulator;
  /** Of the same service, beside n8n. */
  client: QrServiceClient;
  credential: CredentialRef;
  stop(): Promise<void>;
}

/** Installs, packs and starts everything. @param log told what takes long */
export async function startWorld(
  log: (line: string) => void,
  options: EmulatorOptions = {},
  serverOptions: N8nServerOptions = {},
): Promise<World> {
  const publicUrl = `https://${PUBLIC_HOST}/`;
  const { server, n8n } = await startConnectedServer(log, { publicUrl, ...serverOptions });
  const loadBalancer = await startLoadBalancer(server.port);
  const emulator = await startEmulator({
    connectTo: { [PUBLIC_HOST]: loadBalancer.address },
    retryBaseMs: 300,
    ...options,
  });
  return {
    server,
    n8n,
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

/** A server with the package as it would be published, and its first user. */
export async function startConnectedServer(
  log: (line: string) => void,
  options: N8nServerOptions = {},
): Promise<{ server: N8nServer; n8n: N8nRest }> {
  const program = await installToolOrExit('n8n', log);
  return withTarball(async (tarball) => {
    const server = await startN8nServer(program, tarball, options);
    const n8n = connectRest(server);
    await n8n.signIn();
    return { server, n8n };
  });
}

/** Fields of the credential for a service. */
export function credentialFor({ url, apiKey }: { url: string; apiKey: string }): IDataObject {
  return { baseUrl: url, apiKey, authHeader: 'authorization', headerPrefix: 'Service' };
}

/** Builds and packs the package, and does something with its tarball. */
export async function withTarball<Result>(use: (tarball: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-pack-'));
  try {
    await npm(PACKAGE_DIR, 'run', 'build');
    const output = await npm(PACKAGE_DIR, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
    const [{ filename }] = JSON.parse(output) as [{ filename: string }];
    return await use(join(folder, filename));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
