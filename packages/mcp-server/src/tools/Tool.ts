import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import type { QrServiceClient } from '@qr-service/core';
import type { CodeMemory, OPERATION_SCOPES } from '@qr-service/core/connector';
import type * as z from 'zod';
import type { ArgumentsSpec, Values } from '../schemas/arguments.ts';
import type { OutputFolder } from '../session/outputFolder.ts';
import type { Session } from '../session/session.ts';

/** What a tool returns. */
export interface ToolResult {
  /** For the model. */
  text: string;
  /** The same as data, which conforms to the tool's output schema, if it has one. */
  structured?: Record<string, unknown> | undefined;
  content?: CallToolResult['content'];
  /** For the page that shows results: models don't see it. */
  meta?: Record<string, unknown> | undefined;
  isError?: boolean;
}

/** What all sessions of a process share. */
export interface Shared {
  client: QrServiceClient;
  /** Where codes point, as far as this process has set it, and whose changes must not overtake each other. */
  memory: CodeMemory;
  outFolder: OutputFolder | undefined;
  readOnly: boolean;
}

/** One call of a tool. */
export interface ToolCall extends Shared {
  session: Session;
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Whether the API key may draw codes, as far as that is known. */
  canDraw: boolean;
  /** Whether the client shows results with the server's page (MCP Apps). */
  showsPages: boolean;
  /** Tells the client how far the work is, if it wants to know. */
  report: (done: number, total: number | undefined, message: string) => void;
}

/** A tool as clients see it, and what it does. */
export interface Tool<Spec extends ArgumentsSpec = ArgumentsSpec> {
  name: string;
  title: string;
  /** For the model: what it does, when to use it, what it returns and what it never does. */
  description: string;
  annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** Whether it changes nothing but the folder that images are written to, if there is one. */
  writesFiles?: true;
  /** The client's calls that it can't work without. */
  operations: readonly (keyof typeof OPERATION_SCOPES)[];
  input: Spec;
  /** What the page shows of its results; `calls` for a tool that only the page calls. */
  page?: string;
  /** None for a tool whose results may have no structured content. */
  output?: z.ZodObject;
  run: (call: ToolCall, args: Values<Spec>) => Promise<ToolResult>;
}

/** Returns a tool whose arguments are typed by its `input`. */
export function defineTool<Spec extends ArgumentsSpec>(tool: Tool<Spec>): Tool {
  return tool as unknown as Tool;
}

const REPEATABLE = { idempotentHint: true, openWorldHint: false };

/** Annotations of a tool that changes nothing. */
export const READS = { readOnlyHint: true, destructiveHint: false, ...REPEATABLE };

/** Annotations of a tool that changes something: directories of servers want one of the two hints on each tool. */
export const WRITES = { readOnlyHint: false, destructiveHint: true, ...REPEATABLE };

/** How long the list of codes may be read for a name or a link, in milliseconds: clients give up after a minute. */
export const SEARCH_MS = 45_000;

/** Joins the parts of a line that aren't empty. */
export const words = (...parts: readonly string[]): string => parts.filter(Boolean).join(' ');

/** Joins the parts of a text that aren't empty, one on each line. */
export const lines = (...parts: readonly string[]): string => parts.filter(Boolean).join('\n');
