import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CreateServer } from '../../src/server/createServerFactory.ts';

/** A call of the tool `wait`. */
interface WaitingCall {
  session: string;
  signal: AbortSignal;
  release: () => void;
}

/** Servers with a few small tools, and what happened to them. */
export interface ToyServers {
  createServer: CreateServer;
  /** IDs of the sessions, in the order of their creation. A client since 2026-07-28 has one per request. */
  created: string[];
  /** Servers that haven't been closed. */
  open: () => number;
  /** Calls of `wait`, including those that are over. */
  waiting: WaitingCall[];
  /** Starts all further servers without a failure. */
  recover: () => void;
}

/** @param ready when servers have started; a real one reads the account first */
export function toyServers(ready: Promise<unknown> = Promise.resolve()): ToyServers {
  const created: string[] = [];
  const waiting: WaitingCall[] = [];
  let closed = 0;
  let starting = ready;
  ready.catch(() => undefined);
  const createServer: CreateServer = async (session) => {
    created.push(session.id);
    await starting;
    const server = new McpServer({ name: 'toy', version: '1.0.0' });
    server.server.onclose = () => closed++;
    const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
    server.registerTool('session', {}, () => text(session.id));
    server.registerTool('headers', {}, ({ http }) => text([...(http?.req?.headers.keys() ?? [])].join()));
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, (args) => text(args.text));
    server.registerTool('repeat', { inputSchema: z.object({ times: z.number() }) }, ({ times }) =>
      text('x'.repeat(times)),
    );
    server.registerTool('count', {}, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        for (const progress of [1, 2, 3])
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 3 },
          });
      return text('counted');
    });
    server.registerTool('wait', {}, async ({ mcpReq: { signal } }) => {
      await new Promise<void>((resolve) => {
        waiting.push({ session: session.id, signal, release: resolve });
        signal.addEventListener('abort', () => resolve());
      });
      return text(signal.aborted ? 'cancelled' : 'released');
    });
    return server;
  };
  const recover = () => void (starting = Promise.resolve());
  return { createServer, created, open: () => created.length - closed, waiting, recover };
}
