import type { Buffer } from 'node:buffer';
import { Container } from '@n8n/di';
import { BinaryDataService, type PackageDirectoryLoader } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  INodeCredentialTestResult,
  INodeExecutionData,
  INodeListSearchResult,
  INodeType,
} from 'n8n-workflow';
import { bootN8n, type OnLog } from './boot.ts';
import { search, testCredential, type Search } from './editor.ts';
import { UnexpectedError } from './n8nWorkflow.ts';
import { PackageHost, type WorkflowJson } from './PackageHost.ts';
import { pollTrigger, type PollOptions, type PollTrigger } from './pollTrigger.ts';
import { retryRun, runWorkflow, type RunOptions, type RunResult } from './runWorkflow.ts';
import { activateTrigger, openTrigger, type ActivateOptions, type ActiveTrigger } from './webhookTrigger.ts';

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
export interface N8nEngine {
  /** The loaded package, as n8n sees it. */
  readonly loader: PackageDirectoryLoader;
  runWorkflow(json: WorkflowJson, options?: RunOptions): Promise<RunResult>;
  retryRun(json: WorkflowJson, failed: RunResult): Promise<RunResult>;
  activateTrigger(json: WorkflowJson, nodeName: string, options: ActivateOptions): Promise<ActiveTrigger>;
  /** The webhook trigger of an already active workflow. Calls no method of the node. */
  openTrigger(json: WorkflowJson, nodeName: string, options: ActivateOptions): ActiveTrigger;
  pollTrigger(
    json: WorkflowJson,
    nodeName: string,
    staticData?: IDataObject,
    options?: PollOptions,
  ): PollTrigger;
  search(search: Search): Promise<INodeListSearchResult>;
  testCredential(credentialType: string): Promise<INodeCredentialTestResult>;
  /** Content of an item's binary field. */
  getBinary(item: INodeExecutionData, field: string): Promise<Buffer>;
}

/** Loads a package as n8n loads a community package. */
export async function createN8nEngine({
  packageDir,
  credentials,
  otherNodes,
  onLog,
}: EngineOptions): Promise<N8nEngine> {
  bootN8n(onLog);
  const host = new PackageHost(packageDir, credentials, otherNodes);
  await host.loader.loadAll();
  return {
    loader: host.loader,
    runWorkflow: (json, options) => runWorkflow(host, json, options),
    retryRun: (json, failed) => retryRun(host, json, failed),
    activateTrigger: (json, nodeName, options) => activateTrigger(host, json, nodeName, options),
    openTrigger: (json, nodeName, options) => openTrigger(host, json, nodeName, options),
    pollTrigger: (json, nodeName, staticData, options) =>
      pollTrigger(host, json, nodeName, staticData, options),
    search: (options) => search(host, options),
    testCredential: (type) => testCredential(host, type),
    async getBinary(item, field) {
      const file = item.binary?.[field];
      if (file === undefined) throw new UnexpectedError(`The item has no file in ${field}.`);
      return Container.get(BinaryDataService).getAsBuffer(file);
    },
  };
}
