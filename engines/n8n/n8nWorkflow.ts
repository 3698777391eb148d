import { createRequire } from 'node:module';

// The package's ESM build does not load in Node, and n8n-core requires the CommonJS one: there must be one copy.
const n8nWorkflow = createRequire(import.meta.url)('n8n-workflow') as typeof import('n8n-workflow');

export const {
  createRunExecutionData,
  deepCopy,
  ICredentialsHelper,
  LoggerProxy,
  NodeConnectionTypes,
  NodeHelpers,
  UnexpectedError,
  Workflow,
} = n8nWorkflow;

/** n8n's workflow object. */
export type Workflow = InstanceType<typeof Workflow>;
