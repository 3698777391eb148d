import { randomUUID } from 'node:crypto';
import { signWebhook } from '@qr-service/core';
import type { Subscription } from 'qr-service-emulator';
import type { N8nEngine } from '../engines/n8n/index.ts';
import type { ReceivedRequest, Receiver } from '../engines/receiver.ts';
import { toZapierHeaders, type ZapierEngine, type ZapierHook } from '../engines/zapier/index.ts';
import { exampleWorkflow } from './platforms.ts';

/** Public hosts of the two platforms. The emulator connects to the receiver instead of them. */
export const HOSTS = { n8n: 'n8n.example.com', Zapier: 'hooks.zapier.example.com' };

type Platform = keyof typeof HOSTS;

/** Zapier's instant triggers, with their input. */
const ZAPIER_TRIGGERS = { qr_published: {}, other_event: { event: 'feedback.low_score_received' } };

/** How a platform responded to a delivery, and how many runs that started. */
interface Outcome {
  status: number;
  started: number;
}

/** The active instant triggers of both platforms. */
type EventListeners = Awaited<ReturnType<typeof listenForEvents>>;

/** Activates the n8n instant trigger for all events and Zapier hooks for some. */
export async function listenForEvents(n8n: N8nEngine, zapier: ZapierEngine, receiver: Receiver) {
  /** The events that started a run. */
  const events: Record<string, unknown>[] = [];
  /** The first delivery of a publication to each platform. */
  const genuine = new Map<Platform, ReceivedRequest>();
  const trigger = await n8n.activateTrigger(exampleWorkflow('signed-events-to-rows'), 'Events', {
    publicUrl: `https://${HOSTS.n8n}`,
  });
  const hooks = new Map<string, ZapierHook>();
  for (const [key, input] of Object.entries(ZAPIER_TRIGGERS))
    hooks.set(`/${key}`, await zapier.subscribe(key, `https://${HOSTS.Zapier}/${key}`, input));

  const platforms: Record<Platform, (request: ReceivedRequest) => Promise<Outcome>> = {
    async n8n(request) {
      const { status, execution } = await trigger.receive(request);
      const rows = (await execution)?.data['Rows'] ?? [];
      events.push(...rows.map(({ json }) => ({ receivedBy: 'n8n', ...json })));
      return { status, started: execution === undefined ? 0 : 1 };
    },
    async Zapier({ path, headers, rawBody }) {
      const delivery = { headers: toZapierHeaders(headers), rawBody: rawBody.toString() };
      const rows = (await hooks.get(path)?.receive(delivery)) ?? [];
      const type = headers['x-service-event'];
      events.push(...rows.map((row) => ({ receivedBy: 'Zapier', type, ...row })));
      // Zapier accepts every delivery before the app sees it.
      return { status: 200, started: rows.length };
    },
  };
  for (const platform of ['n8n', 'Zapier'] as const)
    receiver.open(HOSTS[platform], async (request) => {
      if (request.headers['x-service-event'] === 'qr.published' && !genuine.has(platform))
        genuine.set(platform, request);
      const { status } = await platforms[platform](request);
      return { status };
    });
  return {
    events,
    genuine,
    platforms,
    async turnOff() {
      await trigger.deactivate();
      for (const hook of hooks.values()) await hook.unsubscribe();
    },
  };
}

/** Delivers to each platform what must not start a run: duplicates, a forged and a stale delivery. */
export async function sendHostileDeliveries(
  { genuine, platforms }: EventListeners,
  subscriptions: readonly Subscription[],
): Promise<({ platform: Platform; what: string } & Outcome)[]> {
  const found = [];
  for (const [platform, request] of genuine) {
    const url = `https://${HOSTS[platform]}${request.path}`;
    const secret = subscriptions.find((each) => new URL(each.url).href === url)?.secret ?? '';
    if (secret === '') throw new Error(`There is no subscription for ${url}.`);
    const again = { ...request, headers: { ...request.headers, 'x-service-delivery': 'dlv_other' } };
    const hostile: Record<string, ReceivedRequest> = {
      'duplicate: the same delivery again': request,
      'duplicate: the same event, new delivery ID': again,
      'forged: signed with a made-up secret': signedAnew(request, 'a made-up secret', 0),
      'stale: signed two hours ago': signedAnew(request, secret, 2 * 60 * 60),
    };
    for (const [what, delivery] of Object.entries(hostile))
      found.push({ platform, what, ...(await platforms[platform](delivery)) });
  }
  return found;
}

/** The same delivery of another event: its new ID rules out deduplication, so only the signature can reject it. */
function signedAnew(request: ReceivedRequest, secret: string, ageSeconds: number): ReceivedRequest {
  const event = JSON.parse(request.rawBody.toString()) as object;
  const body = JSON.stringify({ ...event, id: `evt_${randomUUID()}` });
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const headers = {
    ...request.headers,
    'x-service-timestamp': String(timestamp),
    'x-service-signature': signWebhook({ body, secret, timestamp }),
  };
  return { ...request, headers, rawBody: Buffer.from(body) };
}
