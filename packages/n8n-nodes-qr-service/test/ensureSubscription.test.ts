import { ApiError } from '../../../shared/src/errors/ApiError.ts';
import type { QrServiceClient, UnsubscribeResult, WebhookSubscription } from '../core.ts';
import { ensureSubscription } from '../nodes/QrServiceTrigger/ensureSubscription.ts';
import type { SubscriptionLog } from '../nodes/QrServiceTrigger/SubscriptionLog.ts';

const INPUT = { url: 'https://n8n.example.com/webhook/a', eventTypes: ['qr.created'] };

/** How a service behaves where the API text leaves it open. */
interface Habits {
  replays: 'marked' | 'not marked' | 'never';
  removal: 'works' | '405' | 'always 404';
}

/** An in-memory service with subscriptions. */
class Service {
  readonly live = new Set<string>();
  readonly #habits: Habits;
  readonly #responses = new Map<string, WebhookSubscription>();
  #made = 0;

  constructor(habits: Habits) {
    this.#habits = habits;
  }

  readonly client = {
    webhooks: {
      subscribe: (input: typeof INPUT, { idempotencyKey }: { idempotencyKey: string }) =>
        Promise.resolve(this.#subscribe(input, idempotencyKey)),
      unsubscribe: (id: string) => Promise.resolve(this.#remove(id)),
    },
  } as unknown as QrServiceClient;

  #subscribe(input: typeof INPUT, key: string): WebhookSubscription {
    const before = this.#habits.replays === 'never' ? undefined : this.#responses.get(key);
    if (before !== undefined)
      return this.#habits.replays === 'marked' ? { ...before, replayed: true } : before;
    const id = `whk_${++this.#made}`;
    const made = { ...input, id, secret: `secret of ${id}` };
    this.#responses.set(key, made);
    this.live.add(id);
    return made;
  }

  #remove(id: string): UnsubscribeResult {
    if (this.#habits.removal === '405') return 'unsupported';
    if (this.#habits.removal === 'always 404') return 'already-gone';
    return this.live.delete(id) ? 'removed' : 'already-gone';
  }
}

let services = 0;

/** A workflow's node with its own service and log. */
function startNode(habits: Habits) {
  const service = new Service(habits);
  const log: string[] = [];
  const owner = {
    address: 'https://n8n.example.com',
    // Knowledge about a service is remembered by its base URL.
    baseUrl: `https://service-${++services}.example.com/`,
    keyPrint: 'print',
    workflowId: 'a',
    nodeId: 'b',
  };
  const logger = {
    created: () => undefined,
    notRemovable: (id: string) => log.push(id),
    notFound: (id: string, url: string) => log.push(id, url),
    removalFailed: (id: string) => log.push(id),
    isReported: (id: string) => log.includes(id),
    mayBeOrphaned: (url: string) => log.push(url),
  };
  const activate = () =>
    ensureSubscription({
      client: service.client,
      input: INPUT,
      owner,
      formerId: undefined,
      formerWasActive: false,
      log: logger as unknown as SubscriptionLog,
    });
  return { service, log, activate };
}

const REPLAYS = ['marked', 'not marked', 'never'] as const;

describe.each(REPLAYS)('on a service whose replays are %s', (replays) => {
  test('creates one subscription', async () => {
    const { service, log, activate } = startNode({ replays, removal: 'works' });
    const { id } = await activate();
    expect([...service.live]).toEqual([id]);
    expect(log).toEqual([]);
  });

  test('creates another one after the previous one was removed and forgotten', async () => {
    const { service, activate } = startNode({ replays, removal: 'works' });
    for (let round = 0; round < 4; round++) {
      const { id } = await activate();
      expect([...service.live]).toEqual([id]);
      service.live.clear();
    }
  });

  test('ends with an active subscription if the service removes none', async () => {
    for (const removal of ['405', 'always 404'] as const) {
      const { service, activate } = startNode({ replays, removal });
      const { id } = await activate();
      expect(service.live).toContain(id);
      expect(service.live.size).toBeLessThanOrEqual(2);
    }
  });
});

test('leaves one subscription after a crash before the previous one was saved', async () => {
  const { service, activate } = startNode({ replays: 'marked', removal: 'works' });
  await activate();
  const { id } = await activate();
  expect([...service.live]).toEqual([id]);
});

test('logs the URL after a crash if replays are not marked', async () => {
  const { service, log, activate } = startNode({ replays: 'not marked', removal: 'works' });
  await activate();
  const { id } = await activate();
  expect(service.live).toContain(id);
  expect(log).toContain(INPUT.url);
});

test('after a crash, logs the earlier subscription if the service does not remove it', async () => {
  const { service, log, activate } = startNode({ replays: 'marked', removal: '405' });
  const before = await activate();
  const after = await activate();
  expect([...service.live]).toEqual([before.id, after.id]);
  expect(log).toEqual([before.id]);
});

test('logs the URL if an unsaved activation was for other events', async () => {
  const { service, log, activate } = startNode({ replays: 'marked', removal: 'works' });
  const subscribe = service.client.webhooks.subscribe.bind(service.client.webhooks);
  let isFirst = true;
  jest.spyOn(service.client.webhooks, 'subscribe').mockImplementation((input, options) => {
    if (!isFirst) return subscribe(input, options);
    isFirst = false;
    const conflict = { status: 409, code: 'idempotency_conflict', message: 'Conflict', retryable: false };
    return Promise.reject(new ApiError({ ...conflict, method: 'POST', path: '/webhooks' }));
  });
  const { id } = await activate();
  expect([...service.live]).toEqual([id]);
  expect(log).toEqual([INPUT.url]);
});
