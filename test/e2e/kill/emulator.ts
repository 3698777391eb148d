import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { atExit } from '../../../scripts/process/atExit.ts';
import { until } from '../support/n8n/executions.ts';
import { freePort } from '../../support/process/freePort.ts';
import { isReachable, managedProcess, type ManagedProcess } from '../../support/process/managedProcess.ts';
import { PUBLIC_HOST } from '../support/n8n/n8nServer.ts';
import {
  chain,
  CREATE,
  POLL_OFTEN,
  POLLING_TRIGGER,
  rows,
  workflowWithRows,
  TRIGGER,
} from '../support/n8n/workflows.ts';
import { credentialFor, CREDENTIAL_TYPE } from '../support/n8n/world.ts';
import type { QueueWorld } from '../support/n8nQueue/world.ts';

const CLI = fileURLToPath(new URL('../../../packages/emulator/src/cli.ts', import.meta.url));
const ROWS = 500;
const DOWN_MS = 1000;
/** Only ends a hang: a busy machine may be slow. */
const TIMEOUT_MS = 300_000;

/** Kills the service while codes are created, events are delivered and changes are polled. */
export async function killEmulator({ cluster, sheet }: QueueWorld): Promise<string> {
  const { n8n } = cluster;
  const service = await startService(cluster.address);
  try {
    const credential = await n8n.saveCredential(CREDENTIAL_TYPE, credentialFor(service));
    const active = await Promise.all(
      [
        chain('Created', credential, [
          { name: 'Trigger', type: TRIGGER, parameters: { events: ['qr.created'] } },
          { name: 'Events', ...sheet.writer('Events') },
        ]),
        chain('Polled', credential, [
          { name: 'Trigger', type: POLLING_TRIGGER, parameters: { watch: 'changedCodes', ...POLL_OFTEN } },
          { name: 'Polled', ...sheet.writer('Polled') },
        ]),
      ].map(async (workflow) => {
        const id = await n8n.saveWorkflow(workflow);
        await n8n.activate(id);
        return id;
      }),
    );
    const bulk = await n8n.run(
      await n8n.saveWorkflow(workflowWithRows('Bulk', credential, rows(ROWS), CREATE)),
      'Rows',
    );
    let createdCount = 0;
    await until(
      'a third of the codes are created',
      async () => (createdCount = (await service.names()).length) > ROWS / 3,
      TIMEOUT_MS,
    );
    await service.process.kill();
    await sleep(DOWN_MS);
    await service.process.start();

    let ended = await n8n.waitUntilEnded(bulk);
    // If the service takes longer to start than the node retries, the run fails and is retried from the executions list.
    const isRetried = ended.status === 'error';
    if (isRetried) ended = await n8n.waitUntilEnded(await n8n.retry(bulk));
    assert.equal(ended.status, 'success', ended.error);
    const names = await service.names();
    assert.deepEqual(
      names.sort(),
      rows(ROWS)
        .map(({ name }) => name)
        .sort(),
    );
    const ids = (node: string, field: string) => sheet.rows(node).map((row) => row[field] as string);
    await until('each event is in the sheet', () => new Set(ids('Events', 'qrId')).size >= ROWS, TIMEOUT_MS);
    await until('each change is in the sheet', () => new Set(ids('Polled', 'id')).size >= ROWS, TIMEOUT_MS);
    assert.equal(ids('Events', 'qrId').length, ROWS, 'each event once');
    assert.equal(ids('Polled', 'id').length, ROWS, 'each change once');
    for (const id of active) await n8n.deactivate(id);
    return `killed after ${createdCount} codes${isRetried ? ', the run retried' : ''}; ${names.length} codes of ${ROWS} rows, no duplicates; each event and each polled change in the sheet once`;
  } finally {
    await service.remove();
  }
}

/** The emulator in its own process, with a database file. */
interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly process: ManagedProcess;
  /** Returns the names of all codes. */
  names(): Promise<string[]>;
  remove(): Promise<void>;
}

async function startService(processorAddress: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-emulator-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const unregister = atExit(removeFolder);
  const [port, apiKey] = [await freePort(), randomUUID()];
  const url = `http://127.0.0.1:${port}`;
  const emulator = managedProcess({
    name: 'The emulator',
    command: process.execPath,
    args: [
      ...['--conditions=@qr-service/source', '--disable-warning=ExperimentalWarning', CLI],
      ...['--port', String(port), '--api-key', apiKey, '--db', join(folder, 'service.db')],
      ...['--connect-to', `${PUBLIC_HOST}=${processorAddress}`],
    ],
    isReady: () => isReachable(`${url}/`),
  });
  await emulator.start();
  const client = new QrServiceClient({ baseUrl: url, apiKey, transport: undiciTransport() });
  return {
    url,
    apiKey,
    process: emulator,
    async names() {
      const names: string[] = [];
      for await (const { name } of client.qr.list()) names.push(name);
      return names;
    },
    async remove() {
      await emulator.stop();
      unregister();
      removeFolder();
    },
  };
}
