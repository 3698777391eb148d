import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { CallOptions, QrServiceClient } from '../../../core.ts';
import type { Parameters } from '../../shared/parameters.ts';
import type { Outage } from '../helpers/CircuitBreaker.ts';
import type { InTurn } from '../../shared/serializeByKey.ts';

/** What all items of one run of the node share. */
export interface Run {
  context: IExecuteFunctions;
  client: QrServiceClient;
  /** Each item is watched, so that a service that is gone costs the run minutes and not hours. */
  outage: Outage;
  /** Reads an item's parameters; an operation reads all of them before its first request. */
  parameters: (itemIndex: number) => Parameters;
  /** For reads: carries the signal that cancelling the execution aborts. */
  readOptions: CallOptions;
  /** For writes: also the item's own Idempotency-Key. */
  writeOptions: (itemIndex: number, payload: unknown) => CallOptions;
  /** Whether a write of the item was sent under a deduplication key of the user's. */
  hasDeduplicationKey: (itemIndex: number) => boolean;
  /** The id of the item's code, however the item names it. */
  qrCodeId: (itemIndex: number) => Promise<string>;
  /** The slug of a code, where the key may read it. */
  slugOf: (id: string) => Promise<string | undefined>;
  /** For writes to a code that there is: rows about the same one wait for each other. */
  inTurn: InTurn;
}

/** One operation on one item. What it returns is paired with the item where it does not say otherwise. */
export type Operation = (run: Run, itemIndex: number) => Promise<INodeExecutionData[]>;
