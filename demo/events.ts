import type { EventType } from '@qr-service/core';
import type { ActiveTrigger, N8nEngine } from '../engines/n8n/index.ts';
import { toZapierHeaders, type ZapierEngine, type ZapierHook } from '../engines/zapier/index.ts';
import { exampleWorkflow } from './n8n.ts';
import type { ReceivedRequest, Receiver, ReceiverAnswer } from '../engines/receiver.ts';

/** Public hosts of the two platforms. The emulator connects to the receiver instead of them. */
export const N8N_HOST = 'n8n.example.com';
export const ZAPIER_HOST = 'hooks.zapier.example.com';

const ZAPIER_EVENTS: readonly EventType[] = ['qr.published', 'feedback.low_score_received'];

/** An event that started a run, and the platform that received it. */
type EventLine = { receivedBy: 'n8n' | 'Zapier' } & Record<string, unknown>;

/** Result of one request to a platform. */
export interface Outcome {
  platform: 'n8n' | 'Zapier';
  status: number;
  /** Number of runs that it started. */
  started: number;
}

/** The active instant triggers of both platforms. */
export interface EventListeners {
  events: EventLine[];
  /** Result of the last delivery with each delivery ID. */
  outcomes: Map<string, Outcome>;
  n8nUrl: string;
  turnOff(): Promise<void>;
}

/** Activates the n8n instant trigger for all events and Zapier hooks for some. The receiver stands in for both platforms. */
export async function listenForEvents(
  n8n: N8nEngine,
  zapier: ZapierEngine,
  receiver: Receiver,
): Promise<EventListeners> {
  const events: EventLine[] = [];
  const outcomes = new Map<string, Outcome>();
  const recordOutcome = (request: ReceivedRequest, outcome: Outcome) => {
    const id = request.headers['x-service-delivery'];
    if (typeof id === 'string') outcomes.set(id, outcome);
  };

  let trigger: ActiveTrigger | undefined = undefined;
  const hooks = new Map<string, ZapierHook>();
  receiver.open(N8N_HOST, async (request) => {
    if (trigger === undefined) return { status: 404 };
    const { execution, ...response } = await trigger.receive(request);
    const rows = (await execution)?.data['Rows'] ?? [];
    events.push(...rows.map(({ json }): EventLine => ({ receivedBy: 'n8n', ...json })));
    recordOutcome(request, {
      platform: 'n8n',
      status: response.status,
      started: execution === undefined ? 0 : 1,
    });
    return response;
  });
  receiver.open(ZAPIER_HOST, async (request): Promise<ReceiverAnswer> => {
    // Zapier accepts every delivery before the app sees it.
    const hook = hooks.get(request.path);
    if (hook === undefined) return { status: 410 };
    const rows = await hook.receive({
      headers: toZapierHeaders(request.headers),
      rawBody: request.rawBody.toString('utf8'),
    });
    events.push(...rows.map((row): EventLine => ({ receivedBy: 'Zapier', ...row })));
    recordOutcome(request, { platform: 'Zapier', status: 200, started: rows.length });
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"status":"success"}' };
  });

  trigger = await n8n.activateTrigger(exampleWorkflow('signed-events-to-rows'), 'Events', {
    publicUrl: `https://${N8N_HOST}`,
  });
  for (const type of ZAPIER_EVENTS) {
    const key = type.replaceAll('.', '_');
    hooks.set(`/hooks/${key}`, await zapier.subscribe(key, `https://${ZAPIER_HOST}/hooks/${key}`));
  }
  const { webhookUrl } = trigger;
  return {
    events,
    outcomes,
    n8nUrl: webhookUrl,
    async turnOff() {
      await trigger.deactivate();
      for (const hook of hooks.values()) await hook.unsubscribe();
    },
  };
}
