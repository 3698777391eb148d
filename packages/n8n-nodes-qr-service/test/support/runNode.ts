import type { IDataObject, IExecuteFunctions, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import type { N8nService } from '../../../../test/support/modelService/n8nService.ts';
import { router } from '../../nodes/QrService/router.ts';

/** How to run the node. */
export interface NodeRun {
  operation: string;
  /** Parameters of all items. A function returns the value for each item. */
  parameters?: Record<string, unknown>;
  rows: number;
  /** Default true. */
  continueOnFail?: boolean;
  signal?: AbortSignal;
  /** Whether an agent runs the node as a tool, in its own node. */
  isTool?: boolean;
  /** The node's context, which n8n saves with the execution. */
  memory?: IDataObject;
  /** Called when an item fails. */
  onFailure?: () => void;
  /** Receives the warnings of n8n's log. */
  onLog?: (message: string) => void;
  /** Receives the hints of the run. */
  onHints?: (...hints: NodeExecutionHint[]) => void;
}

/** Runs the action node against a service in memory, without n8n itself. The engine tests include n8n. */
export function runNode(service: N8nService, run: NodeRun): Promise<INodeExecutionData[]> {
  const { operation, rows, continueOnFail = true, signal, isTool = false, memory = {} } = run;
  const parameters: Record<string, unknown> = {
    resource: 'qrCode',
    operation,
    ...run.parameters,
  };
  const valueOf = (value: unknown, itemIndex: number): unknown =>
    typeof value === 'function' ? (value as (itemIndex: number) => unknown)(itemIndex) : value;
  const node = {
    id: 'node',
    name: 'QR Service',
    type: 'qrService',
    typeVersion: 1,
    position: [0, 0],
    parameters,
  };
  const context = {
    getNode: () => node,
    getMode: () => 'manual',
    getParentNodes: () => [],
    getWorkflow: () => ({ id: 'workflow', name: 'Workflow', active: true }),
    getInputData: () => Array.from({ length: rows }, (_, index) => ({ json: { index } })),
    getNodeParameter(
      name: string,
      itemIndex: number,
      usual?: unknown,
      { rawExpressions = false }: { rawExpressions?: boolean } = {},
    ) {
      const [first = '', second] = name.split('.');
      if (rawExpressions && typeof parameters[first] === 'function') return '={{ $json.field }}';
      const whole = valueOf(parameters[first], itemIndex);
      const value =
        second === undefined ? whole : valueOf((whole as IDataObject | undefined)?.[second], itemIndex);
      return value ?? usual;
    },
    getWorkflowDataProxy: () => ({ $runIndex: 0, $execution: {} }),
    getContext: () => memory,
    getTimezone: () => 'UTC',
    getCredentials: () =>
      Promise.resolve({
        baseUrl: 'https://api.example.com',
        apiKey: 'qrs_key',
      }),
    continueOnFail() {
      run.onFailure?.();
      return continueOnFail;
    },
    getExecutionCancelSignal: () => signal,
    logger: { warn: run.onLog ?? (() => undefined) },
    addExecutionHints: run.onHints ?? (() => undefined),
    isToolExecution: () => isTool,
    helpers: {
      httpRequestWithAuthentication: (_credential: string, options: Parameters<N8nService['request']>[0]) =>
        service.request(options),
      prepareBinaryData: (_body: Uint8Array, fileName: string) => Promise.resolve({ fileName }),
    },
  };
  return router(context as unknown as IExecuteFunctions);
}
