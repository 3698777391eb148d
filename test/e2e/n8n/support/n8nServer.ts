import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './atExit.ts';
import { npm } from './install.ts';

/** Host of n8n as the service sees it. */
export const PUBLIC_HOST = 'n8n.example.com';

const START_MS = 60_000;
const STOP_MS = 10_000;
const LONGEST_LOG = 100_000;
const MIGRATION = /^(?:(?:Starting|Finished) migration |\[\w+\d{13}\]).*\n/gm;

/** A server with its users' folder, which ends and is removed with this process at the latest. */
export interface N8nServer {
  /** Address on this machine. */
  readonly url: string;
  /** `127.0.0.1:port`, for the emulator's `connectTo`. */
  readonly address: string;
  /** Folder with its packages. */
  readonly program: string;
  /** Process id of what runs now. */
  pid(): number;
  /** The end of what it printed. */
  log(): string;
  /** Stops it as a deployment would, does something while it is down, and starts it again on the same data. */
  restart(meanwhile?: () => void): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts n8n on a free port with data of its own and a package installed in it as a user would.
 * @param program folder with the installed server
 * @param tarball the packed package
 * @param publicUrl its address as the outside sees it; by default that of this machine
 * @throws Error with the server's log when it doesn't start
 */
export async function startN8nServer(
  program: string,
  tarball: string,
  publicUrl?: string,
): Promise<N8nServer> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-n8n-'));
  let child: ChildProcess | undefined;
  let printed = '';
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const forget = atExit(() => {
    if (child !== undefined) kill(child);
    removeFolder();
  });

  await installPackage(folder, tarball);
  const [port, brokerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [join(program, 'node_modules/n8n/bin/n8n'), 'start'], {
      // A group of its own: n8n starts its task runner as a child, and Ctrl-C is for this process to handle.
      detached: true,
      env: { ...process.env, ...settings(folder, port, brokerPort, publicUrl) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-LONGEST_LOG));
    started.stdout.on('data', collect);
    started.stderr.on('data', collect);
    child = started;
    const deadline = Date.now() + START_MS;
    while (!(await isReady(url))) {
      if (hasEnded(started) || Date.now() > deadline) throw new Error(`n8n did not start:\n${printed}`);
      await sleep(100);
    }
  }

  async function end(): Promise<void> {
    if (child === undefined || hasEnded(child)) return;
    const closed = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([closed, sleep(STOP_MS, undefined, { ref: false })]);
    kill(child);
    await closed;
  }

  try {
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    url,
    address: `127.0.0.1:${port}`,
    program,
    pid: () => child?.pid ?? 0,
    log: () => printed.replaceAll(MIGRATION, ''),
    async restart(meanwhile) {
      await end();
      meanwhile?.();
      await start();
    },
    async stop() {
      await end();
      forget();
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

function settings(
  folder: string,
  port: number,
  brokerPort: number,
  publicUrl: string | undefined,
): Record<string, string> {
  return {
    N8N_USER_FOLDER: folder,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(brokerPort),
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

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz/readiness`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Ends the process and its children. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // They have ended.
  }
}
