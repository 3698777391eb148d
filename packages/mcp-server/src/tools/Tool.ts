import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { QrServiceClient } from '@qr-service/core';
import type { Operation } from '@qr-service/core/connector';
import type { z } from 'zod';

/** Content of a result besides its text. */
export type Content = CallToolResult['content'][number];

/** What a tool returns. */
export interface ToolResult {
  /** For the model. */
  text: string;
  /** The same as data, which conforms to the tool's output schema. */
  structured: Record<string, unknown>;
  /** Images and links. */
  content?: Content[];
  /** Whether nothing succeeded. */
  isError?: boolean;
}

/** One call of a tool. */
export interface ToolCall {
  client: QrServiceClient;
  /** The arguments as the model sent them. */
  args: Record<string, unknown>;
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Tells the client how far the work is, if it wants to know. */
  progress: (done: number, total: number | undefined, message: string) => void;
}

/** A tool as clients see it, and what it does. */
export interface Tool {
  name: string;
  title: string;
  /** For the model: what it does, when to use it, what it returns and what it never does. */
  description: string;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** The client's calls that it can't work without. */
  operations: readonly Operation[];
  input: z.ZodObject;
  output: z.ZodObject;
  /** Throws the core's errors. */
  run: (call: ToolCall) => Promise<ToolResult>;
}
