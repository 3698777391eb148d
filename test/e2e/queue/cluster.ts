import { randomBytes } from 'node:crypto';
import { withTarball } from '../../../scripts/packages.ts';
import { installToolOrExit } from '../../../scripts/tools/install.ts';
import { freePort } from '../../support/process/freePort.ts';
import type { ManagedProcess } from '../../support/process/managedProcess.ts';
import { until } from '../support/n8n/executions.ts';
import { startLoadBalancer } from '../support/n8n/loadBalancer.ts';
import { connectRest } from '../support/n8n/n8nRest.ts';
import {
  createUserFolder,
  n8nProcess,
  PUBLIC_HOST,
  serverEnv,
  WITHOUT_EDITOR,
} from '../support/n8n/n8nServer.ts';
import { PACKAGE_DIR } from '../support/n8n/world.ts';
import { startPostgres, startRedis } from '../support/process/debianServers.ts';

/** Interval of the check whether all processes run. */
const SUPERVISION_INTERVAL_MS = 500;
/** Only ends a hang: on a busy machine, a process of n8n can take a minute to start. */
const START_TIMEOUT_MS = 300_000;

/** Settings that all processes of n8n share. */
const SETTINGS = {
  EXECUTIONS_MODE: 'queue',
  OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
  N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
  QUEUE_BULL_REDIS_HOST: '127.0.0.1',
  QUEUE_HEALTH_CHECK_ACTIVE: 'true',
  // Lost workers are detected after some 10 s instead of a minute and a half, and interrupted activations resume
  // after 30 s instead of 2 min.
  QUEUE_WORKER_LOCK_DURATION: '10000',
  QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
  QUEUE_WORKER_STALLED_INTERVAL: '5000',
  N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '30',
  N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '2000',
  N8N_DEFAULT_BINARY_DATA_MODE: 'database',
};

/** n8n in queue mode, set up as in its documentation: processes that share a database and a queue. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/**
 * Starts Redis, PostgreSQL, one main, one webhook processor behind a load balancer, and two workers. Each process of
 * n8n has its own user folder with the package, as on separate machines, and is restarted when it exits, as by a
 * container orchestrator.
 * @throws Error with the log of the process that didn't start
 */
export async function startCluster() {
  const program = await installToolOrExit('n8n');
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  const shared = {
    ...SETTINGS,
    ...WITHOUT_EDITOR,
    ...postgres.env,
    N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
    QUEUE_BULL_REDIS_PORT: String(redis.port),
  };
  const folders: { remove: () => void }[] = [];
  const members = await withTarball(PACKAGE_DIR, async (tarball) => {
    const prepared: { port: number; process: ManagedProcess }[] = [];
    for (const command of ['start', 'webhook', 'worker', 'worker'] as const) {
      const port = await freePort();
      const folder = await createUserFolder(tarball);
      folders.push(folder);
      const own = { N8N_USER_FOLDER: folder.path, QUEUE_HEALTH_CHECK_PORT: String(port) };
      const env = { ...(await serverEnv(port, `https://${PUBLIC_HOST}/`)), ...shared, ...own };
      prepared.push({ port, process: n8nProcess(program, command, { port, env }) });
    }
    return prepared;
  });
  const processes = members.map((member) => member.process);
  const [main, processor, ...workers] = processes as [ManagedProcess, ManagedProcess, ...ManagedProcess[]];
  const [mainPort, processorPort] = members.map(({ port }) => port);
  const loadBalancer = await startLoadBalancer(`http://127.0.0.1:${processorPort}`);
  const url = `http://127.0.0.1:${mainPort}`;
  const n8n = connectRest(url);
  let stopSupervising: () => Promise<void> = () => Promise.resolve();
  const cluster = {
    /** Runs the schedules, but serves no production webhooks. */
    main,
    /** Serves the production webhooks. */
    processor,
    /** Run the executions. */
    workers,
    postgres,
    n8n,
    /** URL of the main. */
    url,
    /** `127.0.0.1:port` of the load balancer in front of the webhook processor. */
    address: loadBalancer.address,
    /** Resolves when every process serves. @throws Error when that takes too long */
    waitUntilReady: () =>
      until(
        'every process of n8n serves',
        async () => (await Promise.all(processes.map((process) => process.isReady()))).every(Boolean),
        START_TIMEOUT_MS,
      ),
    /** Output of the processes. */
    log: () => [...processes, redis].map((process) => process.log()).join('\n––––––––––\n'),
    async stop() {
      await stopSupervising();
      await Promise.all(processes.map((process) => process.stop()));
      await Promise.all([redis.remove(), postgres.remove(), loadBalancer.close()]);
      for (const folder of folders) folder.remove();
    },
  };
  try {
    // Only the main creates the tables.
    await main.start();
    await Promise.all([processor, ...workers].map((process) => process.start()));
    await n8n.signIn();
    stopSupervising = supervise(processes);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Restarts processes that have exited. Returns a function that ends this. */
function supervise(processes: readonly ManagedProcess[]): () => Promise<void> {
  let starting: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    if (starting !== undefined) return;
    const ended = processes.filter((process) => !process.isRunning());
    // A process that exits while starting is restarted at the next check.
    const starts = ended.map((process) => process.start().catch(() => undefined));
    starting = Promise.all(starts).finally(() => (starting = undefined));
  }, SUPERVISION_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await starting;
  };
}
