import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../process/atExit.ts';
import { freePort } from '../process/freePort.ts';
import { npm } from '../process/npm.ts';
import { isReachable, managedProcess, type ManagedProcess } from '../process/managedProcess.ts';

/** Host of n8n as the service sees it. */
export const PUBLIC_HOST = 'n8n.example.com';

const MIGRATION = /^(?:(?:Starting|Finished) migration |\[\w+\d{13}\]).*\n/gm;

/** A server with its users' folder, which ends and is removed with this process at the latest. */
export interface N8nServer {
  /** Address on this machine. */
  readonly url: string;
  readonly port: number;
  /** Folder with its packages. */
  readonly program: string;
  /** Process id of what runs now. */
  pid(): number;
  /** The end of what it printed. */
  log(): string;
  /** Stops it as a deployment would, does something while it is down, and starts it again on the same data. */
  restart(whileDown?: () => void | Promise<void>): Promise<void>;
  /** Ends it where it stands, as a crash would, does something while it is down, and starts it again on the same data. */
  crash(whileDown?: () => void | Promise<void>): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** How a server differs from one with nothing set. */
export interface N8nServerOptions {
  /** Its address as the outside sees it; by default that of this machine. */
  publicUrl?: string;
  /** Settings of n8n. */
  env?: Record<string, string>;
  /** Options of Node itself, for the server's process only. */
  nodeArgs?: readonly string[];
}

/**
 * Starts n8n on a free port with data of its own and a package installed in it as a user would.
 * @param program folder with the installed server
 * @param tarball the packed package
 * @throws Error with the server's log when it doesn't start
 */
export async function startN8nServer(
  program: string,
  tarball: string,
  options: N8nServerOptions = {},
): Promise<N8nServer> {
  const folder = await createUserFolder(tarball);
  const port = await freePort();
  const { publicUrl, env, nodeArgs = [] } = options;
  const server = n8nProcess(program, 'start', {
    port,
    nodeArgs,
    env: { N8N_USER_FOLDER: folder.path, ...(await serverEnv(port, publicUrl)), ...env },
  });
  try {
    await server.start();
  } catch (error) {
    folder.remove();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    program,
    pid: () => server.pid(),
    log: () => server.log(),
    async restart(whileDown) {
      await server.stop();
      await whileDown?.();
      await server.start();
    },
    async crash(whileDown) {
      await server.kill();
      await whileDown?.();
      await server.start();
    },
    async stop() {
      await server.stop();
      folder.remove();
    },
  };
}

/** The process of one of n8n's commands, not started yet. */
export function n8nProcess(
  program: string,
  command: 'start' | 'webhook' | 'worker',
  { port, env, nodeArgs = [] }: { port: number; env: Record<string, string>; nodeArgs?: readonly string[] },
): ManagedProcess {
  const n8n = managedProcess({
    name: `n8n ${command}`,
    command: process.execPath,
    args: [...nodeArgs, join(program, 'node_modules/n8n/bin/n8n'), command],
    env,
    isReady: () => isReachable(`http://127.0.0.1:${port}/healthz/readiness`),
  });
  return { ...n8n, log: () => n8n.log().replaceAll(MIGRATION, '') };
}

/** A folder of n8n's user with the package in it, which is removed with this process at the latest. */
export async function createUserFolder(tarball: string): Promise<{ path: string; remove: () => void }> {
  const path = mkdtempSync(join(tmpdir(), 'qr-service-n8n-'));
  const removeFolder = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  const unregister = atExit(removeFolder);
  await installPackage(path, tarball);
  return {
    path,
    remove() {
      unregister();
      removeFolder();
    },
  };
}

/** As n8n's own installation of community packages does: below the user's folder, without peers and scripts. */
async function installPackage(folder: string, tarball: string): Promise<void> {
  const packages = join(folder, '.n8n/nodes');
  mkdirSync(packages, { recursive: true });
  writeFileSync(join(packages, 'package.json'), JSON.stringify({ name: 'installed-nodes', private: true }));
  await npm(
    packages,
    'install',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--omit=dev',
    '--offline',
    tarball,
  );
}

/** Settings of a process of n8n on a port of this machine. */
export async function serverEnv(port: number, publicUrl?: string): Promise<Record<string, string>> {
  return {
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(await freePort()),
    ...(publicUrl === undefined ? {} : { WEBHOOK_URL: publicUrl }),
    N8N_SECURE_COOKIE: 'false',
    N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
    // Nothing is told to or asked from n8n's own servers, and the editor shows no banners.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: 'mcp-registry',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
  };
}
