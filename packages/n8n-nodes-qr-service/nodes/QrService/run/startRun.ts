import type { IExecuteFunctions } from 'n8n-workflow';
import { CodeFinder, codeMemoryFor, CodeUpserter, omitUndefined } from '../../../core.ts';
import { Parameters } from '../../shared/parameters.ts';
import { createClientFor, readCredential } from '../../shared/transport/createClient.ts';
import { isAgentRun } from '../helpers/agentRun.ts';
import { changeInOrder } from '../helpers/changeInOrder.ts';
import { CircuitBreaker } from '../helpers/CircuitBreaker.ts';
import { codeReader } from '../helpers/codeReader.ts';
import { idempotencyKeys } from '../helpers/idempotencyKeys.ts';
import { qrCodeResolver } from '../helpers/qrCodeResolver.ts';
import type { Run } from './Run.ts';

/** How long a run waits for the rate limit while no item succeeds, in milliseconds: windows of an hour are common. */
const RATE_LIMIT_MS = 70 * 60 * 1000;

/** The same for an agent: someone may be waiting for its reply, and its model can report the wait instead. */
const AGENT_RATE_LIMIT_MS = 60 * 1000;

/** Sets up what all items of one run share. */
export async function startRun(context: IExecuteFunctions, operation: string): Promise<Run> {
  const calledByAgent = isAgentRun(context);
  const connection = await readCredential(context);
  const client = createClientFor(context, connection, {
    retry: { rateLimitMs: calledByAgent ? AGENT_RATE_LIMIT_MS : RATE_LIMIT_MS },
  });
  const { keysOf, isFromUser } = idempotencyKeys(context, operation);
  const signal = context.getExecutionCancelSignal();
  const requestOptions = omitUndefined({ signal });
  const circuitBreaker = new CircuitBreaker();
  const memory = codeMemoryFor(connection);
  const named = new Set<string>();
  let finder: CodeFinder | undefined;
  const codes = () =>
    (finder ??= new CodeFinder(client.qr, { ...requestOptions, lookups: named.size, memory }));
  return {
    context,
    client,
    memory,
    isAgentRun: calledByAgent,
    circuitBreaker,
    parameters: (itemIndex) => Parameters.ofItem(context, itemIndex),
    requestOptions,
    hasDeduplicationKey: isFromUser,
    writeOptions: (itemIndex, useDeduplicationKey) => {
      const keyOf = keysOf(itemIndex, useDeduplicationKey);
      return (payload) => ({ ...requestOptions, idempotencyKey: keyOf(payload) });
    },
    qrCodeId: qrCodeResolver(
      context,
      (code) => codes().idOf(code),
      (code) => named.add(code),
    ),
    readCode: codeReader((id) => codes().byId(id)),
    unpublished: new Map(),
    searchCodes: (text, options) => codes().search(text, options),
    upsertRows: new Map(),
    upserter: new CodeUpserter(client, {
      ...requestOptions,
      lookups: context.getInputData().length,
      memory,
    }),
    changeInOrder: changeInOrder(() => circuitBreaker.throwIfOpen()),
  };
}
