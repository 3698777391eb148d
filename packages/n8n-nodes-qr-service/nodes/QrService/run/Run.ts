import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type {
  CallOptions,
  CodeMemory,
  CodeUpserter,
  QrCode,
  QrServiceClient,
  SearchCodes,
} from '../../../core.ts';
import type { Parameters } from '../../shared/parameters.ts';
import type { SerializeByKey } from '../../shared/serializeByKey.ts';
import type { CircuitBreaker } from '../helpers/CircuitBreaker.ts';

/** Shared by all items of one run of the node. */
export interface Run {
  context: IExecuteFunctions;
  client: QrServiceClient;
  /** What this process knows about the account's codes. */
  memory: CodeMemory;
  /** Whether an AI agent called the node as a tool, so that its model reads the result. */
  isAgentRun: boolean;
  /** Runs each item, so that an outage delays the run by minutes, not hours. */
  circuitBreaker: CircuitBreaker;
  /** Reads an item's parameters. An operation reads all of them before its first request. */
  parameters: (itemIndex: number) => Parameters;
  /** For reads: the signal that is aborted when the execution is canceled. */
  requestOptions: CallOptions;
  /** For writes: also the item's Idempotency-Key, by default based on the user's deduplication key. */
  writeOptions: (itemIndex: number, payload: unknown, useDeduplicationKey?: boolean) => CallOptions;
  /** Whether a write of the item was sent with the user's deduplication key. */
  hasDeduplicationKey: (itemIndex: number) => boolean;
  /** The ID of the item's code, which the item may refer to by ID or link. */
  qrCodeId: (itemIndex: number) => Promise<string>;
  /** One code; undefined if the API key may not read codes. */
  readCode: (id: string) => Promise<QrCode | undefined>;
  /** Searches all codes of the workspace, which are read once per run. */
  searchCodes: SearchCodes;
  /** Creates or retargets the items' codes. */
  upserter: CodeUpserter;
  /** For updates of a code, by its ID: rows about the same code wait for each other. */
  serializeByKey: SerializeByKey;
}

/** One operation on one item. Its outputs are paired with the item, unless they specify another pairing. */
export type Operation = (run: Run, itemIndex: number) => Promise<INodeExecutionData[]>;
