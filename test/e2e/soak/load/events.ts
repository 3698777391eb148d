import assert from 'node:assert/strict';
import { BRAND, headerNames } from '@qr-service/core/connector';
import { sampleEvent } from '@qr-service/core/webhook';
import { signWebhook, type EventType } from '@qr-service/core';
import { chain, TRIGGER } from '../../support/n8n/workflows.ts';
import type { World } from '../../support/n8n/world.ts';
import type { Workload } from './Workload.ts';
import { repeat } from './repeat.ts';
import { problemsOf } from './problemsOf.ts';
import type { Tally } from './Tally.ts';

const WORKFLOW = 'Events';
const EVERY_MS = 100;
/** Maximum number of events without an execution. Above that, no new events are sent. */
const MAX_PENDING = 50;
/** Every nth event is delivered twice, alternating between the same and a new delivery ID; every nth follows a forged one. */
const DOUBLED_EVERY = 10;
const FORGED_EVERY = 20;
/** Event types that the other workloads don't trigger. */
const TYPES = [
  'feedback.response_received',
  'feedback.low_score_received',
  'approval.changed',
  'export.ready',
  'bulk.completed',
] as const satisfies readonly EventType[];

const FORGED_ID = 'evt_forged';

/** Events: sends signed events at a steady rate, with some duplicates and some forged ones. */
export async function eventsWorkload(
  { n8n, server, emulator: { control }, credential }: World,
  tally: Tally,
  onFailure: (error: unknown) => void,
): Promise<Workload> {
  const workflowId = await n8n.saveWorkflow(
    chain(WORKFLOW, credential, [
      { name: 'Trigger', type: TRIGGER, parameters: { events: [...TYPES] } },
      tally.step(WORKFLOW),
    ]),
  );
  await n8n.activate(workflowId);
  const { pathname } = new URL(control.subscriptions().at(-1)!.url);
  const emitted = new Set<string>();
  let forged = 0;

  async function work(): Promise<void> {
    const count = emitted.size;
    if (count - tally.countsOf(WORKFLOW).size > MAX_PENDING) return;
    if (count % FORGED_EVERY === 0) await forge();
    if (count % DOUBLED_EVERY === 0) {
      const kind = count % (2 * DOUBLED_EVERY) === 0 ? 'duplicate' : 'second delivery id';
      control.failDeliveries({ kind, times: 1 });
    }
    emitted.add(control.emit(TYPES[count % TYPES.length]!).id);
  }

  /** Alternates between a wrong signature and none. */
  async function forge(): Promise<void> {
    const type = TYPES[0];
    const body = JSON.stringify({ ...sampleEvent(type), id: `${FORGED_ID}_${forged}` });
    const timestamp = Math.floor(Date.now() / 1000);
    const names = headerNames(BRAND.headerPrefix);
    const signed = {
      [names.timestamp]: String(timestamp),
      [names.signature]: signWebhook({ body, secret: 'a made-up secret', timestamp }),
    };
    const response = await fetch(server.url + pathname, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(forged % 2 === 0 ? signed : {}) },
      body,
    });
    await response.arrayBuffer();
    assert.equal(response.status, 401, 'a forged delivery is rejected');
    forged++;
  }

  return {
    ...repeat(EVERY_MS, work, onFailure),
    workflowIds: [workflowId],
    counts: () => ({ events: emitted.size, forged }),
    async problems() {
      await control.settled();
      return problemsOf('event', emitted, tally.countsOf(WORKFLOW));
    },
  };
}

/** Unique key of an event in the tally. */
export const eventKeys = { [WORKFLOW]: (row: Record<string, unknown>) => String(row['eventId']) };
