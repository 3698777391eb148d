import { createRequire } from 'node:module';
import type * as N8nWorkflow from 'n8n-workflow';

// The package's ESM build doesn't load in Node, and n8n-core requires the CommonJS one. There must be only one copy.
const n8nWorkflow = createRequire(import.meta.url)('n8n-workflow') as typeof N8nWorkflow;

export const {
  createRunExecutionData,
  deepCopy,
  LoggerProxy,
  NodeConnectionTypes,
  NodeHelpers,
  setSafeRegexEngine,
  UnexpectedError,
  Workflow,
} = n8nWorkflow;

export type Workflow = InstanceType<typeof Workflow>;
