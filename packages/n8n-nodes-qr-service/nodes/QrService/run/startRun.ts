import type { IExecuteFunctions } from 'n8n-workflow';
import { createClient } from '../../shared/transport/createClient.ts';
import { Parameters } from '../../shared/parameters.ts';
import { idempotencyKeys } from '../helpers/idempotencyKeys.ts';
import { inTurn } from '../../shared/serializeByKey.ts';
import { Outage } from '../helpers/CircuitBreaker.ts';
import { qrCodeResolver } from '../helpers/qrCodeResolver.ts';
import { refusedKeys } from '../helpers/refusedKeys.ts';
import { slugReader } from '../helpers/slugReader.ts';
import type { Run } from './Run.ts';

/** How long a run waits for the rate limit while no item gets through, in milliseconds: windows of an hour are common. */
const RATE_LIMIT_MS = 70 * 60 * 1000;

/** Sets up what all items of one run share. */
export async function startRun(context: IExecuteFunctions, operation: string): Promise<Run> {
  const client = await createClient(context, {
    retry: { rateLimitMs: RATE_LIMIT_MS },
    refusedKeys: refusedKeys(context),
  });
  const { keyFor, isOwn } = idempotencyKeys(context, operation);
  const signal = context.getExecutionCancelSignal();
  const readOptions = signal === undefined ? {} : { signal };
  const outage = new Outage(client);
  const turn = inTurn();
  return {
    context,
    client,
    outage,
    parameters: (itemIndex) => Parameters.ofItem(context, itemIndex),
    readOptions,
    hasDeduplicationKey: isOwn,
    writeOptions: (itemIndex, payload) => ({ ...readOptions, idempotencyKey: keyFor(itemIndex, payload) }),
    qrCodeId: qrCodeResolver(context, client, readOptions),
    slugOf: slugReader(client, readOptions),
    inTurn: (id, work) =>
      turn(id, () => {
        outage.check();
        return work();
      }),
  };
}
