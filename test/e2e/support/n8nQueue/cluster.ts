import { randomBytes } from 'node:crypto';
import { until } from '../n8n/executions.ts';
import { installToolOrExit } from '../../../../scripts/tools/install.ts';
import type { ManagedProcess } from '../../../support/process/managedProcess.ts';
import { n8nProcess, PUBLIC_HOST, serverEnv, createUserFolder } from '../n8n/n8nServer.ts';
import { connectRest, type N8nRest } from '../n8n/n8nRest.ts';
import { startLoadBalancer, type LoadBalancer } from '../n8n/loadBalancer.ts';
import { freePort } from '../../../support/process/freePort.ts';
import { withTarball } from '../../../../scripts/packages/withTarball.ts';
import { PACKAGE_DIR } from '../n8n/world.ts';
import { startPostgres, type Postgres } from '../process/postgres.ts';
import { startRedis, type Redis } from '../process/redis.ts';

/** Interval of the check whether all processes run. */
const SUPERVISION_INTERVAL_MS = 500;
/** Only ends a hang: on a busy machine, a process of n8n can take a minute to start. */
const START_TIMEOUT_MS = 300_000;

/** n8n in queue mode, set up as in its documentation: processes that share a database and a queue. */
export interface Cluster {
  /** Serves the editor and runs the schedules, but serves no production webhooks. */
  main: ManagedProcess;
  /** Serves the production webhooks. */
  processor: ManagedProcess;
  /** Run the executions. */
  workers: readonly [ManagedProcess, ManagedProcess];
  redis: Redis;
  postgres: Postgres;
  n8n: N8nRest;
  /** URL of the main. */
  url: string;
  /** In front of the webhook processor. */
  loadBalancer: LoadBalancer;
  /** `127.0.0.1:port` of the load balancer. */
  address: string;
  /** Sets whether processes of n8n are restarted when they exit, as a container orchestrator does. */
  supervise(on: boolean): void;
  /** Resolves when every process serves. @throws Error when that takes too long */
  waitUntilReady(): Promise<void>;
  /** Output of the processes. */
  log(): string;
  /** Stops everything and removes the data. */
  stop(): Promise<void>;
}

/**
 * Starts Redis, PostgreSQL, one main, one webhook processor behind a load balancer, and two workers. Each process of
 * n8n has its own user folder with the package, as on separate machines.
 * @param log reports slow steps
 * @throws Error with the log of the process that didn't start
 */
export async function startCluster(log: (line: string) => void): Promise<Cluster> {
  const program = await installToolOrExit('n8n', log);
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  const shared = {
    EXECUTIONS_MODE: 'queue',
    OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
    N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
    N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: String(redis.port),
    QUEUE_HEALTH_CHECK_ACTIVE: 'true',
    // Lost workers are detected after some 10 s instead of a minute and a half, and interrupted activations resume
    // after 30 s instead of 2 min.
    QUEUE_WORKER_LOCK_DURATION: '10000',
    QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
    QUEUE_WORKER_STALLED_INTERVAL: '5000',
    N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '30',
    N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '2000',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: String(postgres.port),
    DB_POSTGRESDB_USER: postgres.user,
    DB_POSTGRESDB_DATABASE: postgres.database,
    N8N_DEFAULT_BINARY_DATA_MODE: 'database',
  };
  const folders: { remove: () => void }[] = [];

  async function prepare(command: 'start' | 'webhook' | 'worker', tarball: string) {
    const [port, folder] = [await freePort(), await createUserFolder(tarball)];
    folders.push(folder);
    const env = {
      ...(await serverEnv(port, `https://${PUBLIC_HOST}/`)),
      ...shared,
      N8N_USER_FOLDER: folder.path,
      QUEUE_HEALTH_CHECK_PORT: String(port),
    };
    return { port, process: n8nProcess(program, command, { port, env }) };
  }

  const [main, processor, firstWorker, secondWorker] = await withTarball(
    PACKAGE_DIR,
    async (tarball) =>
      [
        await prepare('start', tarball),
        await prepare('webhook', tarball),
        await prepare('worker', tarball),
        await prepare('worker', tarball),
      ] as const,
  );
  const processes = [main, processor, firstWorker, secondWorker].map((member) => member.process);
  const loadBalancer = await startLoadBalancer(`http://127.0.0.1:${processor.port}`);
  const supervisor = supervise(processes);
  const cluster: Omit<Cluster, 'n8n'> = {
    main: main.process,
    processor: processor.process,
    workers: [firstWorker.process, secondWorker.process],
    redis,
    postgres,
    url: `http://127.0.0.1:${main.port}`,
    loadBalancer,
    address: loadBalancer.address,
    supervise: supervisor.set,
    waitUntilReady: () =>
      until(
        'every process of n8n serves',
        async () => (await Promise.all(processes.map((process) => process.isReady()))).every(Boolean),
        START_TIMEOUT_MS,
      ),
    log: () => [...processes, redis].map((process) => process.log()).join('\n––––––––––\n'),
    async stop() {
      await supervisor.end();
      await Promise.all(processes.map((process) => process.stop()));
      await Promise.all([redis.remove(), postgres.remove(), loadBalancer.close()]);
      for (const folder of folders) folder.remove();
    },
  };
  try {
    // Only the main creates the tables.
    await main.process.start();
    await Promise.all([processor, firstWorker, secondWorker].map((member) => member.process.start()));
    const n8n = connectRest(cluster.url);
    await n8n.signIn();
    supervisor.set(true);
    return { ...cluster, n8n };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Restarts processes that have exited, while it is enabled. */
function supervise(processes: readonly ManagedProcess[]): {
  set: (on: boolean) => void;
  end: () => Promise<void>;
} {
  let on = false;
  let starting: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    if (!on || starting !== undefined) return;
    const ended = processes.filter((process) => !process.isRunning());
    // A process that exits while starting, for example without Redis, is restarted at the next check.
    const starts = ended.map((process) => process.start().catch(() => undefined));
    starting = Promise.all(starts).finally(() => (starting = undefined));
  }, SUPERVISION_INTERVAL_MS);
  return {
    set: (enabled) => void (on = enabled),
    async end() {
      clearInterval(timer);
      await starting;
    },
  };
}
