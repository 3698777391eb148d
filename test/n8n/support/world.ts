import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { startEmulator, type Emulator, type EmulatorOptions } from 'qr-service-emulator';
import { createN8nEngine, type N8nEngine } from '../../../engines/n8n/index.ts';
import { openFrontDoor, type FrontDoor } from './frontDoor.ts';
import { N8nProcess, PACKAGE_DIR } from './n8nProcess.ts';

export { PACKAGE_DIR } from './n8nProcess.ts';

/** The part of the package's manifest that n8n reads. */
export const { n8n: MANIFEST } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
  n8n: { nodes: string[]; credentials: string[] };
};

const PUBLIC_HOST = 'n8n.example.com';

/** Public URL of n8n. The emulator connects to the front door instead. */
export const PUBLIC_URL = `https://${PUBLIC_HOST}`;

/** The service, an n8n process with the built package, and n8n's front door. */
export interface World {
  emulator: Emulator;
  engine: N8nEngine;
  frontDoor: FrontDoor;
  /** A node's description, as n8n loads it. */
  descriptionOf: (node: string) => INodeTypeDescription;
  /** Log messages of level `warn` and above. */
  warnings: string[];
  /** n8n with the package and a different credential or different node instances. */
  engineWith: (
    credential: Record<string, string>,
    otherNodes?: Record<string, INodeType>,
  ) => Promise<N8nEngine>;
  close: () => Promise<void>;
}

export async function startWorld(options: EmulatorOptions = {}): Promise<World> {
  const frontDoor = await openFrontDoor(PUBLIC_HOST);
  const emulator = await startEmulator({
    connectTo: { [PUBLIC_HOST]: frontDoor.address },
    retryBaseMs: 20,
    ...options,
  });
  const warnings: string[] = [];
  const own = new N8nProcess();
  const engineWith = (
    credential: Record<string, string>,
    otherNodes: Record<string, INodeType> = own.otherNodes,
  ) =>
    createN8nEngine({
      packageDir: PACKAGE_DIR,
      otherNodes,
      credentials: { qrServiceApi: { baseUrl: emulator.url, apiKey: emulator.apiKey, ...credential } },
      onLog: ({ level, message }) => {
        if (level === 'warn' || level === 'error') warnings.push(message);
      },
    });
  const engine = await engineWith({});
  return {
    emulator,
    engine,
    frontDoor,
    descriptionOf: (node) => (engine.loader.getNode(node).type as INodeType).description,
    warnings,
    engineWith,
    async close() {
      await emulator.stop();
      await frontDoor.close();
    },
  };
}
