import type { ServerContext } from '@modelcontextprotocol/server';
import { omitUndefined } from '@qr-service/core/connector';
import type { ToolCall } from '../tools/Tool.ts';

/** Sends progress notifications, if the request asks for them. Progress only ever increases. */
export function progressOf({ mcpReq }: ServerContext): ToolCall['report'] {
  const progressToken = mcpReq._meta?.progressToken;
  let last = 0;
  return (progress, total, message) => {
    if (progressToken === undefined || progress <= last || mcpReq.signal.aborted) return;
    last = progress;
    const params = { progressToken, progress, message, ...omitUndefined({ total }) };
    // A client that is gone needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
