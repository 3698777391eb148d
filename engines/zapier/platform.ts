import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A file that a step uploaded to Zapier. */
export interface StoredFile {
  bytes: Uint8Array;
  contentType: string;
  fileName: string;
}

/** The services of Zapier that an app can call: cache, cursors and file store. */
export type ZapierPlatform = Awaited<ReturnType<typeof startPlatform>>;

interface RpcCall {
  id: string;
  storeKey: string | null;
  method: string;
  params: unknown[];
}

/** Starts the platform's services on a free local port. */
export async function startPlatform() {
  const cache = new Map<string, { value: string; expiresAt: number }>();
  const cursors = new Map<string, string>();
  const files = new Map<string, StoredFile>();
  let base = '';

  const methods: Record<string, (params: unknown[], storeKey: string, auth: string) => unknown> = {
    zcache_get: ([key, scope], _storeKey, auth) => getUnexpired(cacheKey(key, scope, auth))?.value ?? null,
    zcache_set: ([key, value, ttl, scope, nx], _storeKey, auth) => {
      const entryKey = cacheKey(key, scope, auth);
      if (nx === true && getUnexpired(entryKey) !== undefined) return false;
      // Zapier's default TTL is an hour.
      const seconds = typeof ttl === 'number' ? ttl : 3600;
      cache.set(entryKey, { value: String(value), expiresAt: Date.now() + seconds * 1000 });
      return true;
    },
    zcache_delete: ([key, scope], _storeKey, auth) => cache.delete(cacheKey(key, scope, auth)),
    get_cursor: (_params, storeKey) => cursors.get(storeKey) ?? null,
    set_cursor: ([cursor], storeKey) => {
      cursors.set(storeKey, String(cursor));
      return null;
    },
    get_presigned_upload_post_data: () => ({ url: `${base}/files/`, fields: { key: randomUUID() } }),
  };

  function getUnexpired(entryKey: string) {
    const entry = cache.get(entryKey);
    if (entry !== undefined && entry.expiresAt > Date.now()) return entry;
    cache.delete(entryKey);
    return undefined;
  }

  async function handleRpc(request: IncomingMessage, response: ServerResponse, auth: string): Promise<void> {
    const { id, method, params, storeKey } = JSON.parse(String(await readBody(request))) as RpcCall;
    const call = methods[method];
    const reply =
      call === undefined
        ? { id, error: `The local platform has no method ${method}.` }
        : { id, result: call(params, storeKey ?? '', auth) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  }

  async function storeFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    // oxlint-disable-next-line typescript/no-deprecated -- deprecated for untrusted input, which this is not
    const form = await new Response(await readBody(request), { headers }).formData();
    const file = form.get('file');
    const key = form.get('key');
    if (!(file instanceof File) || typeof key !== 'string') throw new Error('The upload has no file.');
    files.set(`${base}/files/${key}`, {
      bytes: new Uint8Array(await file.arrayBuffer()),
      contentType: file.type,
      fileName: file.name,
    });
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', base);
    const handled =
      pathname === '/rpc'
        ? handleRpc(request, response, searchParams.get('auth') ?? '')
        : storeFile(request, response);
    handled.catch(() => response.writeHead(500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    /**
     * URL of the RPC endpoint that `z.cache`, `z.cursor` and `z.stashFile` call. With `?auth=`, it is that of one
     * connection, which the scope `auth` of the cache means.
     */
    rpcUrl: `${base}/rpc`,
    /** Returns a stored file by the URL that `z.stashFile` returned. */
    file: (url: string) => files.get(url),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Without the scope `auth`, all connections share an entry. */
function cacheKey(key: unknown, scope: unknown, auth: string): string {
  const scopes = Array.isArray(scope) ? scope : [];
  return JSON.stringify([scopes, scopes.includes('auth') ? auth : '', key]);
}

async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  return Buffer.concat((await request.toArray()) as Buffer[]);
}
