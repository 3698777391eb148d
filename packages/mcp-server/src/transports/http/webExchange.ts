import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The request in the form that the SDK takes, without its body, which has been read. Its signal ends when the client
 * disconnects before the response is complete.
 */
export function toRequest(req: IncomingMessage, res: ServerResponse): Request {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    // No handler needs the token.
    if (value === undefined || name === 'authorization') continue;
    headers.set(name, String(value));
  }
  return new Request('http://127.0.0.1/mcp', { method: req.method ?? '', headers, signal: gone.signal });
}

/**
 * Sends the SDK's response, and resolves when it is complete or the client is gone. A client that doesn't read is
 * disconnected.
 */
export async function sendResponse(res: ServerResponse, response: Response, stallMs: number): Promise<void> {
  if (response.body === null) {
    if (!res.destroyed) res.writeHead(response.status, Object.fromEntries(response.headers)).end();
    return;
  }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  res.once('close', cancel);
  if (res.destroyed) {
    cancel();
    return;
  }
  res.writeHead(response.status, Object.fromEntries(response.headers));
  res.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!res.write(value)) await waitFor(res, 'drain', stallMs);
  }
  res.end();
  await waitFor(res, 'finish', stallMs);
}

function waitFor(res: ServerResponse, event: 'drain' | 'finish', stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed || res.writableFinished) {
      resolve();
      return;
    }
    const stalled = setTimeout(() => res.destroy(), stallMs);
    const end = () => {
      clearTimeout(stalled);
      res.off(event, end).off('close', end);
      resolve();
    };
    res.on(event, end).on('close', end);
  });
}
