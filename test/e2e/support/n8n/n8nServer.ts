import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { omitUndefined } from '@qr-service/core/connector';
import { atExit } from '../../../../scripts/process/atExit.ts';
import { freePort } from '../../../support/process/freePort.ts';
import { isReachable, managedProcess, type ManagedProcess } from '../../../support/process/managedProcess.ts';

/** n8n's public host. */
export const PUBLIC_HOST = 'n8n.example.com';

const README = new URL('../../../../packages/n8n-nodes-qr-service/README.md', import.meta.url);

/** Preparing the editor's files, and loading modules that no workflow runs, takes half of the startup time. */
export const WITHOUT_EDITOR = {
  N8N_DISABLE_UI: 'true',
  N8N_DISABLED_MODULES: 'agents,chat-hub,external-secrets,instance-ai,mcp-registry,otel',
};

const MIGRATION = /^(?:(?:Starting|Finished) migration |\[\w+\d{13}\]).*\n/gm;

/** An n8n server with its own data, both of which are removed when this process exits. */
export type N8nServer = Awaited<ReturnType<typeof startN8nServer>>;

/** Options of a server. */
export interface N8nServerOptions {
  /** Public URL. Default: the local URL. */
  publicUrl?: string;
  /** Environment variables of n8n. */
  env?: Record<string, string>;
  /** Package to install, as a packed file. Default: none. */
  tarball?: string;
}

/**
 * Starts n8n on a free port with its own data.
 * @param program folder of the n8n installation
 * @throws Error with the server's log when it doesn't start
 */
export async function startN8nServer(program: string, { tarball, publicUrl, env }: N8nServerOptions = {}) {
  const newServer = await newServerFolder(program);
  const folder = await createUserFolder(tarball);
  cpSync(newServer, folder.path, { recursive: true });
  const port = await freePort();
  const allEnv = { N8N_USER_FOLDER: folder.path, ...(await serverEnv(port, publicUrl)), ...env };
  const server = n8nProcess(program, 'start', { port, env: allEnv });
  try {
    await server.start();
  } catch (error) {
    folder.remove();
    throw error;
  }
  return {
    /** URL for this machine. */
    url: `http://127.0.0.1:${port}`,
    /** The end of its output. */
    log: () => server.log(),
    /** Stops n8n gracefully, runs `whileDown`, and restarts n8n on the same data, without the editor. */
    async restart(whileDown?: () => void | Promise<void>) {
      await server.stop();
      await whileDown?.();
      await server.start(WITHOUT_EDITOR);
    },
    /** Kills n8n as a crash would, runs `whileDown`, and restarts n8n on the same data, without the editor. */
    async crash(whileDown?: () => void | Promise<void>) {
      await server.kill();
      await whileDown?.();
      await server.start(WITHOUT_EDITOR);
    },
    /** Stops n8n and removes its data. */
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
  { port, env }: { port: number; env: Record<string, string> },
): ManagedProcess {
  const n8n = managedProcess({
    name: `n8n ${command}`,
    command: process.execPath,
    args: [join(program, 'node_modules/n8n/bin/n8n'), command],
    // Each start loads 4,000 modules.
    env: { NODE_COMPILE_CACHE: join(program, 'compiled'), ...env },
    isReady: () => isReachable(`http://127.0.0.1:${port}/healthz/readiness`),
  });
  return { ...n8n, log: () => n8n.log().replaceAll(MIGRATION, '') };
}

/**
 * Returns a user folder with only the encryption key and the database of a new n8n server. Its migrations take a third of
 * a first start, so it is created once per installation.
 */
async function newServerFolder(program: string): Promise<string> {
  const path = join(program, 'new-server');
  if (existsSync(path)) return path;
  const folder = await createUserFolder(undefined, program);
  const port = await freePort();
  const env = { N8N_USER_FOLDER: folder.path, ...(await serverEnv(port)) };
  const server = n8nProcess(program, 'start', { port, env });
  await server.start();
  await server.stop();
  for (const made of ['.n8n/nodes', '.cache']) rmSync(join(folder.path, made), { recursive: true });
  // Another process may have made it.
  if (!existsSync(path)) renameSync(folder.path, path);
  folder.remove();
  return path;
}

/** Creates an n8n user folder, with the package installed if there is one. It is removed when this process exits. */
export async function createUserFolder(
  tarball?: string,
  parent = tmpdir(),
): Promise<{ path: string; remove: () => void }> {
  const path = mkdtempSync(join(parent, 'qr-service-n8n-'));
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

/**
 * Installs the packed package as described in the README.
 * @param home the user's home folder
 * @param path folders with `node` and `npm`, as in PATH
 * @throws Error with npm's messages
 */
export async function installPackage(
  home: string,
  tarball: string,
  path = process.env['PATH'],
): Promise<void> {
  const line = /^npm install --prefix ~.* n8n-nodes-qr-service$/m.exec(readFileSync(README, 'utf8'))?.[0];
  if (line === undefined) throw new Error("The package's README has no install command.");
  const command = line.replace(/(?<= )n8n-nodes-qr-service$/, `'${tarball}'`);
  const ownSettings = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(ownSettings), HOME: home, PATH: path, npm_config_offline: 'true' };
  const child = spawn('sh', ['-c', command], { env });
  const unregister = atExit(() => void child.kill());
  const output = text(child.stdout);
  const errors = text(child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  unregister();
  if (code !== 0) throw new Error(`${command} failed:\n${await errors}${await output}`);
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
    // No process for Code nodes, as no workflow has one.
    N8N_RUNNERS_MODE: 'external',
    N8N_RUNNERS_AUTH_TOKEN: 'none',
  };
}
