import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type {
  CallOptions,
  CodeFinder,
  CodeMemory,
  CodeUpserter,
  QrCode,
  QrServiceClient,
  UpsertRow,
} from '../../../core.ts';
import type { Parameters } from '../../shared/parameters.ts';
import type { ChangeInOrder } from '../helpers/changeInOrder.ts';
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
  /** Reads an item's parameters. */
  parameters: (itemIndex: number) => Parameters;
  /** For reads: the signal that is aborted when the execution is canceled. */
  requestOptions: CallOptions;
  /**
   * For an item's writes: also the Idempotency-Key of each payload, by default based on the user's deduplication key, which
   * is read at once.
   */
  writeOptions: (itemIndex: number, useDeduplicationKey?: boolean) => (payload: unknown) => CallOptions;
  /** Whether a write of the item was sent with the user's deduplication key. */
  hasDeduplicationKey: (itemIndex: number) => boolean;
  /** Reads which code an item refers to, by ID or link. The result looks up its ID. */
  qrCodeId: (itemIndex: number) => () => Promise<string>;
  /**
   * One code, read once per run; undefined if there is none, or the API key may not read codes. Something optional is not
   * worth an error or a second failure: then it is undefined, too.
   */
  readCode: (id: string, isOptional?: boolean) => Promise<QrCode | undefined>;
  /** The codes that aren't published among those whose images were downloaded, by ID. */
  unpublished: Map<string, QrCode>;
  /** Searches all codes of the workspace, which are read once per run. */
  searchCodes: CodeFinder['search'];
  /** The rows of an upsert, by their items: some may contradict each other. */
  upsertRows: Map<number, UpsertRow>;
  /** Creates or retargets the items' codes. */
  upserter: CodeUpserter;
  /** For updates of a code. */
  changeInOrder: ChangeInOrder;
}

/**
 * One operation on one item: reads and checks all of its parameters, and returns the work with its requests. Work begins
 * once all items are checked. Its outputs are paired with the item, unless they specify another pairing.
 */
export type Operation = (run: Run, itemIndex: number) => () => Promise<INodeExecutionData[]>;
