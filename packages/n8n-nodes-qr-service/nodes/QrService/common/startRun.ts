import type { IExecuteFunctions } from 'n8n-workflow';
import { CodeMemory, omitUndefined, type PlatformClient } from '../../../deps.ts';
import { connect } from '../../platform/client.ts';
import { isAgentRun } from './agent.ts';
import { codeReferences } from './codeReferences.ts';
import { idempotencyKeys } from './idempotencyKeys.ts';
import { startOutage, type Outage } from './outage.ts';

/** What all items of one run of the node share. */
export interface Run {
  context: IExecuteFunctions;
  /** Resource and operation, for example `qrCode.create`. */
  operationName: string;
  client: PlatformClient;
  /** What this process knows about the account's codes from its own writes. */
  memory: CodeMemory;
  /** Options of every request: the signal that is aborted when the execution is canceled. */
  requestOptions: { signal?: AbortSignal };
  /** The same for publishing what the run has created, which a canceled execution still does for a while. */
  publishOptions: { signal?: AbortSignal };
  /** Keys of the items' creations. */
  keys: ReturnType<typeof idempotencyKeys>;
  /** The codes that the items refer to. */
  references: ReturnType<typeof codeReferences>;
  /** Ends a run in minutes instead of hours if the service is down. */
  outage: Outage;
}

/** How long a run waits for the rate limit while no item succeeds, in milliseconds: windows of an hour are common. */
const RATE_LIMIT_MS = 70 * 60 * 1000;
/** The same for an agent: someone may be waiting for its reply, and its model can report the wait instead. */
const AGENT_RATE_LIMIT_MS = 60 * 1000;

/** How long a canceled run still publishes the codes that it has created, in milliseconds: nobody knows of their drafts. */
const PUBLISHING_MS = 30_000;

/** Sets up a run. Throws if the credential is invalid or can't be read. */
export async function startRun(context: IExecuteFunctions, operationName: string): Promise<Run> {
  const rateLimitMs = isAgentRun(context) ? AGENT_RATE_LIMIT_MS : RATE_LIMIT_MS;
  const { client, connection } = await connect(context, { retry: { rateLimitMs } });
  const memory = CodeMemory.of(connection);
  const signal = context.getExecutionCancelSignal();
  const requestOptions = omitUndefined({ signal });
  return {
    context,
    operationName,
    client,
    memory,
    requestOptions,
    publishOptions: omitUndefined({ signal: signal && delayed(signal, PUBLISHING_MS) }),
    keys: idempotencyKeys(context, operationName),
    references: codeReferences(client, { ...requestOptions, memory }),
    outage: startOutage(),
  };
}

/** A signal that is aborted some time after another one. */
function delayed(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const abortLater = () => {
    const end = AbortSignal.timeout(ms);
    end.addEventListener('abort', () => controller.abort(end.reason));
  };
  signal.addEventListener('abort', abortLater, { once: true });
  return controller.signal;
}
