import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QrServiceClient, type QrCode } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import type { IDataObject } from 'n8n-workflow';
import { startEmulator, type EmulatorOptions } from 'qr-service-emulator';
import { withTarball } from '../../../../scripts/packages.ts';
import { installToolOrExit } from '../../../../scripts/tools/install.ts';
import { startLoadBalancer } from './loadBalancer.ts';
import { connectRest } from './n8nRest.ts';
import { PUBLIC_HOST, startN8nServer, type N8nServerOptions } from './n8nServer.ts';

export const PACKAGE_DIR = fileURLToPath(
  new URL('../../../../packages/n8n-nodes-qr-service/', import.meta.url),
);

export const CREDENTIAL_TYPE = 'qrServiceApi';

/** A signed-in n8n server with the package, and the emulator. */
export type World = Awaited<ReturnType<typeof startWorld>>;

/** Installs, packs and starts everything. */
export async function startWorld(options: EmulatorOptions = {}, serverOptions: N8nServerOptions = {}) {
  const publicUrl = `https://${PUBLIC_HOST}/`;
  const { server, n8n, packed } = await startConnectedServer({ publicUrl, ...serverOptions });
  const loadBalancer = await startLoadBalancer(server.url);
  const emulator = await startEmulator({
    connectTo: { [PUBLIC_HOST]: loadBalancer.address },
    // A restart may take over half a minute on a busy machine: the last retry is after 38 s.
    retryBaseMs: 600,
    ...options,
  });
  const { url: baseUrl, apiKey } = emulator;
  return {
    server,
    n8n,
    /** The packed package. */
    packed,
    emulator,
    /** A client of the same service, independent of n8n. */
    client: new QrServiceClient({ baseUrl, apiKey, transport: undiciTransport() }),
    credential: await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(emulator)),
    async stop() {
      await server.stop();
      await emulator.stop();
      await loadBalancer.close();
    },
  };
}

/** Starts a server with the packed package, and signs in. */
async function startConnectedServer(options: N8nServerOptions) {
  const program = await installToolOrExit('n8n');
  return withTarball(PACKAGE_DIR, async (tarball) => {
    const server = await startN8nServer(program, { tarball, ...options });
    const n8n = connectRest(server.url);
    await n8n.signIn();
    return { server, n8n, packed: readFileSync(tarball) };
  });
}

/** All codes of the workspace, also those of other steps. */
export async function allCodes(client: QrServiceClient): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const code of client.qr.list()) codes.push(code);
  return codes;
}

/** Credential fields for a service. */
export function credentialFor({ url, apiKey }: { url: string; apiKey: string }): IDataObject {
  return { baseUrl: url, apiKey };
}
