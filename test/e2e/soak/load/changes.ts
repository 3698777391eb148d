import assert from 'node:assert/strict';
import { scanId } from '@qr-service/core/connector';
import { chain, POLL_OFTEN, POLLING_TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import type { Workload } from './Workload.ts';
import { problemsOf } from './problemsOf.ts';
import { repeat } from './repeat.ts';
import type { Tally } from './Tally.ts';

const CHANGED = 'Changed codes';
const SCANS = 'Scans';
const EVERY_MS = 500;
const CODES = 20;

/** Polling: changes names and targets of published codes, and scans the codes. */
export async function changesWorkload(
  { n8n, emulator: { control }, client, credential }: World,
  tally: Tally,
  onFailure: (error: unknown) => void,
): Promise<Workload> {
  const watch = async (name: string, what: string) => {
    const id = await n8n.saveWorkflow(
      chain(name, credential, [
        { name: 'Trigger', type: POLLING_TRIGGER, parameters: { watch: what, ...POLL_OFTEN } },
        tally.step(name),
      ]),
    );
    await n8n.activate(id);
    return id;
  };
  const workflowIds = [await watch(CHANGED, 'changedCodes'), await watch(SCANS, 'scans')];
  const codes = await Promise.all(
    Array.from({ length: CODES }, async (_, index) => {
      const content = { targetUrl: 'https://example.com/' };
      const name = `Changed ${index}`;
      const { id } = await client.qr.create({ name, mode: 'dynamic', contentType: 'url', content });
      return client.qr.publish(id);
    }),
  );
  let changes = 0;
  let scans = 0;

  async function work(): Promise<void> {
    const { id, publicUrl } = codes[changes % CODES]!;
    if (changes % 2 === 0) control.rename(id, `Renamed ${changes}`);
    else await client.qr.retarget(id, `https://example.com/${changes}`);
    changes++;
    const response = await fetch(publicUrl, { redirect: 'manual' });
    await response.arrayBuffer();
    assert.ok(response.headers.has('location'), 'a published code leads somewhere');
    scans++;
  }

  /** Only checks the last state of each code, as the service doesn't list states between two polls. */
  async function changedProblems(): Promise<string[]> {
    const last = new Set<string>();
    for await (const code of client.qr.list()) last.add(stateOf({ ...code }));
    const received = tally.countsOf(CHANGED);
    const known = new Map([...received].filter(([state, times]) => times > 1 || last.has(state)));
    return problemsOf('changed code', last, known);
  }

  async function scanProblems(): Promise<string[]> {
    const ids = new Set<string>();
    for await (const scan of client.scans.list()) ids.add(scanId(scan));
    assert.equal(ids.size, scans, 'the service has every scan');
    return problemsOf('scan', ids, tally.countsOf(SCANS));
  }

  return {
    ...repeat(EVERY_MS, work, onFailure),
    workflowIds,
    counts: () => ({ changes, scans }),
    problems: async () => [...(await changedProblems()), ...(await scanProblems())],
  };
}

const stateOf = (row: Record<string, unknown>) => `${String(row['id'])} ${String(row['updatedAt'])}`;

/** Unique keys of changes and scans in the tally. */
export const changeKeys = {
  [CHANGED]: stateOf,
  [SCANS]: (row: Record<string, unknown>) => String(row['id']),
};
