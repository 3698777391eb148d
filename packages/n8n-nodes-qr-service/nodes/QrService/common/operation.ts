import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { QrCode } from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';
import type { Run } from './startRun.ts';

/** An operation of the node: what each module in operations/ exports. */
export interface Operation {
  /** Its entry under Operation. */
  option: { name: string; action: string; description: string };
  /** Its parameters, in the order of the form. */
  properties: INodeProperties[];
  /** Sets up what the items of one run share. */
  start: (run: Run) => ItemChecks;
}

/** How an operation checks the items of one run, before any of them sends a request. */
interface ItemChecks {
  /** Reads and checks all parameters of an item, and returns its work. Throws for an invalid item. */
  check: (parameters: Parameters, itemIndex: number) => Work;
  /** The items that contradict each other, each with its error. Called once all items are checked. */
  conflicts?: () => ReadonlyMap<number, Error>;
}

/** Sends the requests of an item. It starts once all items are checked. */
export type Work = () => Promise<ItemResult>;

/** Result of an item's work. */
export interface ItemResult {
  /** What the node returns for the item. Each output is paired with it. */
  outputs: INodeExecutionData[];
  /** What was done, in a word to count; operations that only read have none. */
  outcome?: Outcome;
  /** What was done, if it is the only item, in a whole sentence. */
  note?: string;
  /** What the user should know although the item looks successful, in whole sentences. */
  warning?: string | string[];
  /** The code of the item, if it isn't published and the item looks as if it were ready to use. */
  unpublished?: KnownCode | undefined;
}

/** What can be done with a code, in the order of a run's hint. */
export const OUTCOMES = ['created', 'updated', 'unchanged', 'published', 'downloaded'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What is known about a code. */
export type KnownCode = Partial<QrCode> & { id: string };
