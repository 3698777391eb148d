import { ApiError } from '../../../shared/src/errors/ApiError.ts';
import { Webhooks } from '../../../shared/src/client/Webhooks.ts';
import type { RequestExecutor } from '../../../shared/src/client/RequestExecutor.ts';
import { readSubscription } from '../../../shared/src/wire/secret.ts';
import { runs } from '../../../test/support/seed.ts';
import type { QrServiceClient } from '../core.ts';
import { ensureSubscription } from '../nodes/QrServiceTrigger/ensureSubscription.ts';
import type { SubscriptionLog } from '../nodes/QrServiceTrigger/SubscriptionLog.ts';

const INPUT = { url: 'https://n8n.example.com/webhook/a', eventTypes: ['qr.created'] };
let services = 0;

function apiError(status: number, code: string, method: string, retryable = false): ApiError {
  return new ApiError({ status, code, message: code, retryable, method, path: '/webhooks' });
}

/** A service that ignores the Idempotency-Key, with a subscription limit and its own way to remove them. */
function ignoringKeys({
  most = Infinity,
  remove,
}: {
  most?: number;
  remove: (live: Set<string>, id: string) => unknown;
}) {
  const live = new Set<string>();
  let made = 0;
  const client = {
    webhooks: {
      subscribe: () => {
        if (live.size >= most) return Promise.reject(apiError(403, 'quota_exceeded', 'POST'));
        const id = `whk_${++made}`;
        live.add(id);
        return Promise.resolve({ ...INPUT, id, secret: `secret of ${id}` });
      },
      unsubscribe: (id: string) => Promise.resolve(remove(live, id)),
    },
  } as unknown as QrServiceClient;
  const named: string[] = [];
  const log = {
    created: () => undefined,
    notRemovable: (id: string) => named.push(id),
    removalFailed: (id: string) => named.push(id),
    mayBeOrphaned: (url: string) => named.push(url),
  } as unknown as SubscriptionLog;
  const owner = {
    address: 'https://n8n.example.com',
    baseUrl: `https://service-${++services}.example.com/`,
    keyPrint: 'print',
    workflowId: 'a',
    nodeId: 'b',
  };
  const activate = () =>
    ensureSubscription({
      client,
      input: INPUT,
      owner,
      formerId: undefined,
      formerWasActive: false,
      log,
    });
  return { live, named, activate };
}

describe('on a service that ignores the Idempotency-Key', () => {
  test('logs the second subscription, which cannot be removed', async () => {
    const { live, named, activate } = ignoringKeys({ remove: () => 'unsupported' });
    const { id } = await activate();
    const others = [...live].filter((other) => other !== id);
    expect(others).toHaveLength(1);
    expect(named).toEqual(others);
  });

  test('logs every remaining subscription when removing the second one fails', async () => {
    const { live, named, activate } = ignoringKeys({
      remove: () => Promise.reject(apiError(503, 'http_503', 'DELETE', true)),
    });
    for (let round = 0; round < 5; round++) await activate().catch(() => undefined);
    expect(live.size).toBe(10);
    expect(named).toEqual(expect.arrayContaining([...live]));
  });

  test('activates with a limit of one subscription', async () => {
    const { live, activate } = ignoringKeys({
      most: 1,
      remove: (all, id) => (all.delete(id) ? 'removed' : 'already-gone'),
    });
    const made = await activate().catch((error: unknown) => error);
    // If it failed and left a subscription behind, every further activation would fail, too.
    expect([made instanceof Error, live.size]).toEqual([false, 1]);
  });
});

describe('responses', () => {
  test('an envelope with its own ID does not hide the subscription', () => {
    const webhook = { id: 'whk_1', url: INPUT.url, eventTypes: INPUT.eventTypes, signingKey: 's' };
    expect(readSubscription({ id: 'req_1', webhook })?.id).toBe('whk_1');
  });

  test('a known wrapper without the secret does not take precedence over the one that contains it', () => {
    const webhook = { id: 'whk_1', url: INPUT.url, eventTypes: INPUT.eventTypes, signingKey: 's' };
    expect(readSubscription({ data: { id: 'evt_1', url: 'https://a.example' }, webhook })?.id).toBe('whk_1');
  });

  test('the only wrapper with an ID and a secret is the subscription, even if others have a URL', () => {
    const webhook = { id: 'whk_1', url: INPUT.url, eventTypes: INPUT.eventTypes, signingKey: 's' };
    const workspace = { id: 'ws_1', name: 'Menus', url: 'https://app.example.com/ws_1' };
    expect(readSubscription({ webhook, workspace })?.id).toBe('whk_1');
  });

  test('a subscription without a secret whose removal gets a 404 is not reported as removed', async () => {
    const pipeline = {
      send: ({ method }: { method: string }) =>
        method === 'POST'
          ? Promise.resolve({ status: 201, headers: {}, body: { id: 'whk_1', url: INPUT.url } })
          : Promise.reject(apiError(404, 'not_found', 'DELETE')),
    } as unknown as RequestExecutor;
    await expect(new Webhooks(pipeline).subscribe(INPUT)).rejects.toThrow(/whk_1/);
  });
});

/* Every short life cycle on services with every combination of behaviors, against ensureSubscription itself. */

interface Habits {
  marks: boolean;
  /** Response to a DELETE of a subscription that no longer exists. */
  gone: 'already-gone' | 'removed' | 'refused';
  remove: 'works' | 'unsupported';
}
const STEPS = ['activate', 'crash', 'deactivate', 'lose', 'app'] as const;
type Step = (typeof STEPS)[number];

function lifeCycles(length: number): Step[][] {
  if (length === 0) return [[]];
  return lifeCycles(length - 1).flatMap((steps) => STEPS.map((step) => [...steps, step]));
}

/** Describes the first activation that didn't succeed. Undefined if all did. */
async function play(
  lifeCycle: readonly Step[],
  { marks, gone, remove }: Habits,
): Promise<string | undefined> {
  const live = new Set<string>();
  const responses = new Map<string, string>();
  let made = 0;
  const client = {
    webhooks: {
      subscribe: (_input: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
        const before = responses.get(idempotencyKey);
        const id = before ?? `whk_${++made}`;
        if (before === undefined) live.add(id);
        responses.set(idempotencyKey, id);
        const replayed = before !== undefined && marks ? { replayed: true } : {};
        return Promise.resolve({ ...INPUT, id, secret: `s ${id}`, ...replayed });
      },
      unsubscribe: (id: string) => {
        if (remove === 'unsupported') return Promise.resolve('unsupported');
        if (live.delete(id)) return Promise.resolve('removed');
        if (gone !== 'refused') return Promise.resolve(gone);
        return Promise.reject(apiError(403, 'workspace_mismatch', 'DELETE'));
      },
    },
  } as unknown as QrServiceClient;
  const none = () => undefined;
  const isReported = () => false;
  const log = {
    created: none,
    notRemovable: none,
    mayBeOrphaned: none,
    notFound: none,
    isReported,
  } as unknown as SubscriptionLog;
  const owner = {
    address: 'https://n8n.example.com',
    baseUrl: `https://life-${++services}.example.com/`,
    keyPrint: 'print',
    workflowId: 'a',
    nodeId: 'b',
  };
  let stored: string | undefined;
  let formerId: string | undefined;
  /** Does the same as removeStored. */
  const drop = async () => {
    if (stored === undefined) return false;
    const result = await client.webhooks.unsubscribe(stored).catch(() => 'refused');
    formerId = stored;
    stored = undefined;
    return result === 'removed';
  };
  for (const [at, step] of lifeCycle.entries()) {
    if (step === 'lose') stored = formerId = undefined;
    else if (step === 'app') live.delete([...live].at(-1) ?? '');
    else if (step === 'deactivate') await drop();
    else {
      const before = { stored, formerId };
      const formerWasActive = await drop();
      const { id } = await ensureSubscription({
        client,
        input: INPUT,
        owner,
        formerId,
        formerWasActive,
        log,
      });
      if (!live.has(id)) return `${lifeCycle.slice(0, at + 1).join(', ')}: ${id} is not active`;
      if (step === 'activate') [stored, formerId] = [id, undefined];
      else ({ stored, formerId } = before);
    }
  }
  return undefined;
}

test.each<Habits>(
  [true, false].flatMap((marks) => [
    { marks, gone: 'already-gone' as const, remove: 'works' as const },
    { marks, gone: 'removed' as const, remove: 'works' as const },
    { marks, gone: 'refused' as const, remove: 'works' as const },
    // Without marks there is no way to check whether a subscription of such a service is active.
    ...(marks ? [{ marks, gone: 'already-gone' as const, remove: 'unsupported' as const }] : []),
  ]),
)('every activation ends with an active subscription: %j', async (habits) => {
  const wrong: string[] = [];
  for (const lifeCycle of lifeCycles(runs(4, 5))) {
    const problem = await play(lifeCycle, habits);
    if (problem !== undefined) wrong.push(problem);
  }
  const shortest = [...new Set(wrong)].sort((a, b) => a.length - b.length).slice(0, 3);
  expect(shortest).toEqual([]);
});
