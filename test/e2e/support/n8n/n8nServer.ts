import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { omitUndefined } from '@qr-service/core/connector';
import { atExit } from '../../../../scripts/process/atExit.ts';
import { freePort } from '../../../support/process/freePort.ts';
import { isReachable, managedProcess, type ManagedProcess } from '../../../support/process/managedProcess.ts';
import { installPackage } from './installPackage.ts';

/** n8n's public host. */
export const PUBLIC_HOST = 'n8n.example.com';

const MIGRATION = /^(?:(?:Starting|Finished) migration |\[\w+\d{13}\]).*\n/gm;

/** An n8n server: one with its own data, both of which are removed when this process exits, or one that runs already. */
export interface N8nServer {
  /** URL for this machine. */
  readonly url: string;
  /** Why it can't be stopped, restarted or set up otherwise. Undefined for a server that the suite has started. */
  readonly external?: string;
  /** ID of the current process. */
  pid(): number;
  /** The end of its output. */
  log(): string;
  /** Runs one of n8n's commands on the same data. @throws Error with its output when it fails */
  command(...args: string[]): Promise<void>;
  /** Stops n8n gracefully, runs `whileDown`, and restarts n8n on the same data. */
  restart(whileDown?: () => void | Promise<void>): Promise<void>;
  /** Kills n8n as a crash would, runs `whileDown`, and restarts n8n on the same data. */
  crash(whileDown?: () => void | Promise<void>): Promise<void>;
  /** Stops n8n and removes its data. */
  stop(): Promise<void>;
}

/** Options of a server. */
export interface N8nServerOptions {
  /** Public URL. Default: the local URL. */
  publicUrl?: string;
  /** Environment variables of n8n. */
  env?: Record<string, string>;
  /** Command-line options for Node.js. */
  nodeArgs?: readonly string[];
  /** Package to install, as a packed file. Default: none. */
  tarball?: string;
}

/** A server that somebody else runs. */
export function externalServer(url: string): N8nServer {
  const external = 'needs a server that the suite may start and stop, without --n8n-url';
  const refuse = () => Promise.reject(new Error(external));
  return {
    url,
    external,
    pid: () => NaN,
    log: () => `See the log of ${url}.`,
    command: refuse,
    restart: refuse,
    crash: refuse,
    stop: () => Promise.resolve(),
  };
}

/**
 * Starts n8n on a free port with its own data.
 * @param program folder of the n8n installation
 * @throws Error with the server's log when it doesn't start
 */
export async function startN8nServer(
  program: string,
  { tarball, publicUrl, env, nodeArgs = [] }: N8nServerOptions = {},
): Promise<N8nServer> {
  const folder = await createUserFolder(tarball);
  const port = await freePort();
  const allEnv = { N8N_USER_FOLDER: folder.path, ...(await serverEnv(port, publicUrl)), ...env };
  const server = n8nProcess(program, 'start', { port, nodeArgs, env: allEnv });
  try {
    await server.start();
  } catch (error) {
    folder.remove();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: () => server.pid(),
    log: () => server.log(),
    async command(...args) {
      const n8n = join(program, 'node_modules/n8n/bin/n8n');
      await promisify(execFile)(process.execPath, [n8n, ...args], { env: { ...process.env, ...allEnv } });
    },
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

/** Creates a process for one of n8n's commands, without starting it. */
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

/** Creates an n8n user folder, with the package installed if there is one. It is removed when this process exits. */
export async function createUserFolder(tarball?: string): Promise<{ path: string; remove: () => void }> {
  const path = mkdtempSync(join(tmpdir(), 'qr-service-n8n-'));
  const removeFolder = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  const unregister = atExit(removeFolder);
  if (tarball !== undefined) await installPackage(path, tarball);
  return {
    path,
    remove() {
      unregister();
      removeFolder();
    },
  };
}

/** Environment variables for a process of n8n on a local port. */
export async function serverEnv(port: number, publicUrl?: string): Promise<Record<string, string>> {
  return {
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(await freePort()),
    ...omitUndefined({ N8N_WEBHOOK_URL: publicUrl }),
    N8N_SECURE_COOKIE: 'false',
    N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
    // No requests to n8n's own servers, and no banners in the editor.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: 'mcp-registry',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
  };
}
