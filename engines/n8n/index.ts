import type { Buffer } from 'node:buffer';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeExecutionData,
  INodeType,
} from 'n8n-workflow';
import { bootN8n, type OnLog } from './boot.ts';
import { search, testCredential, type Search } from './editor.ts';
import { UnexpectedError } from './n8nWorkflow.ts';
import { PackageHost, type WorkflowJson } from './PackageHost.ts';
import { pollTrigger, type PollOptions } from './pollTrigger.ts';
import { retryRun, runWorkflow, type RunOptions, type RunResult } from './runWorkflow.ts';
import { activateTrigger, openTrigger, type ActivateOptions } from './webhookTrigger.ts';

export { useInstance } from './boot.ts';
export type { WorkflowJson } from './PackageHost.ts';
export type { PollOptions, PollTrigger } from './pollTrigger.ts';
export type { RunOptions, RunResult } from './runWorkflow.ts';
export type { ActivateOptions, ActiveTrigger, Delivery } from './webhookTrigger.ts';

/** Options of an engine. */
export interface EngineOptions {
  /** Folder of a built n8n package. */
  packageDir: string;
  /** One credential of each type, by the type's name. */
  credentials: Record<string, ICredentialDataDecryptedObject>;
  /** Further node types, by full name. They take precedence over the stand-ins. */
  otherNodes?: Record<string, INodeType>;
  onLog?: OnLog;
}

/** n8n's own engine with one package loaded, in this process. It doesn't need to be closed. */
export type N8nEngine = Awaited<ReturnType<typeof createN8nEngine>>;

/** Loads a package as n8n loads a community package. */
export async function createN8nEngine({ packageDir, credentials, otherNodes, onLog }: EngineOptions) {
  bootN8n(onLog);
  const host = new PackageHost(packageDir, credentials, otherNodes);
  await host.loader.loadAll();
  return {
    /** The loaded package, as n8n sees it. */
    loader: host.loader,
    runWorkflow: (json: WorkflowJson, options?: RunOptions) => runWorkflow(host, json, options),
    retryRun: (json: WorkflowJson, failed: RunResult) => retryRun(host, json, failed),
    activateTrigger: (json: WorkflowJson, nodeName: string, options: ActivateOptions) =>
      activateTrigger(host, json, nodeName, options),
    /** The webhook trigger of an already active workflow. Calls no method of the node. */
    openTrigger: (json: WorkflowJson, nodeName: string, options: ActivateOptions) =>
      openTrigger(host, json, nodeName, options),
    pollTrigger: (json: WorkflowJson, nodeName: string, staticData?: IDataObject, options?: PollOptions) =>
      pollTrigger(host, json, nodeName, staticData, options),
    search: (options: Search) => search(host, options),
    testCredential: (type: string) => testCredential(host, type),
    /** Content of an item's binary field. */
    async getBinary(item: INodeExecutionData, field: string): Promise<Buffer> {
      const file = item.binary?.[field];
      if (file === undefined) throw new UnexpectedError(`The item has no file in ${field}.`);
      return Container.get(BinaryDataService).getAsBuffer(file);
    },
  };
}
