// Also runs as a server in its own process, so that it takes no CPU time from the client.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { QrServiceClient } from '@qr-service/core';
import { SAMPLE_QR_CODE, SAMPLE_SCAN, ScanCounter } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { request } from 'undici';
import { runConcurrently, compare, importLibraries } from './compare.ts';

const PAGE_ROWS = 100;
const LIST_ROWS = 10_000;
const READS = 3000;

type Get<Result> = (url: string, options: { headers: Record<string, string> }) => Result;
/** The functions of the other libraries that are used here. */
interface Clients {
  axios: { default: { get: Get<Promise<unknown>> } };
  got: { default: Get<{ json: () => Promise<unknown> }> };
  ky: { default: Get<{ json: () => Promise<unknown> }> };
}

/** How fast is reading a code? */
export async function get(): Promise<void> {
  const { axios, got, ky } = await importLibraries<Clients>('axios', 'got', 'ky');
  const { url: baseUrl, client, stop } = await startBareServer();
  const url = `${baseUrl}/v1/public-api/qr/qr_1`;
  const headers = { authorization: 'Bearer key' };
  const contenders: Record<string, () => Promise<unknown>> = {
    'client.qr.get': () => client.qr.get('qr_1'),
    'bare undici.request': async () => (await request(url, { headers })).body.json(),
    'global fetch': async () => (await fetch(url, { headers })).json(),
    ky: () => ky.default(url, { headers }).json(),
    got: () => got.default(url, { headers }).json(),
    axios: () => axios.default.get(url, { headers }),
  };
  await compare(
    'Reading a code, 32 at once',
    Object.entries(contenders).map(([name, read]) => ({
      name,
      operations: READS,
      run: () => runConcurrently(READS, 32, read),
    })),
  );
  stop();
}

/** How fast are listing 10,000 codes, and counting 10,000 scans? */
export async function walk(): Promise<void> {
  const { url, client, stop } = await startBareServer();
  const listCodes = async () => {
    let rows = 0;
    for await (const code of client.qr.list()) if (code.id !== '') rows++;
    return rows;
  };
  const countScans = async () => {
    const counter = new ScanCounter({ timeZone: 'Europe/Berlin' });
    for await (const { rows } of client.scans.list(counter.query).pages())
      for (const row of rows) counter.add(row);
    return counter.scans;
  };
  const barePaging = async (path: string) => {
    let rows = 0;
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = `${url}/v1/public-api/${path}?limit=100${cursor && `&cursor=${cursor}`}`;
      const { body } = await request(page, { headers: { authorization: 'Bearer key' } });
      const read = (await body.json()) as { data: object[]; pagination: { nextCursor: string | null } };
      rows += read.data.length;
      cursor = read.pagination.nextCursor;
    }
    return rows;
  };
  const contender = (name: string, read: () => Promise<number>) => ({
    name,
    operations: LIST_ROWS,
    async run() {
      const rows = await read();
      if (rows !== LIST_ROWS) throw new Error(`${name} returned ${rows} rows.`);
    },
  });
  const bare = (path: string) => contender('bare paging', () => barePaging(path));
  await compare('Listing 10,000 codes', [contender('client.qr.list', listCodes), bare('qr')], 21);
  await compare('Counting 10,000 scans', [contender('ScanCounter', countScans), bare('scans')], 21);
  stop();
}

async function startBareServer() {
  const child = fork(fileURLToPath(import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}`;
  const client = new QrServiceClient({ baseUrl: url, apiKey: 'key', transport: undiciTransport() });
  return { url, client, stop: () => child.disconnect() };
}

/** Returns a code, or a page of 100 codes or scans. */
function serve(): void {
  const code = JSON.stringify(SAMPLE_QR_CODE);
  const rows = JSON.stringify(Array.from({ length: PAGE_ROWS }, () => SAMPLE_QR_CODE));
  const headers = {
    'X-RateLimit-Limit': '1000000',
    'X-RateLimit-Remaining': '999999',
    'X-RateLimit-Reset': '1',
  };
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(200, headers);
    if (!/\/(?:qr\?|scans)/.test(url)) return response.end(code);
    const next = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0) + PAGE_ROWS;
    const nextCursor = next < LIST_ROWS ? `"${next}"` : 'null';
    const data = url.includes('/scans') ? scansTo(next) : rows;
    return response.end(`{"data":${data},"pagination":{"nextCursor":${nextCursor}}}`);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit(0));
}

/** A page of scans of 300 codes. */
function scansTo(end: number): string {
  const scan = (at: number) => ({ ...SAMPLE_SCAN, id: `scan_${at}`, qrId: `qr_${at % 300}` });
  return JSON.stringify(Array.from({ length: PAGE_ROWS }, (_, at) => scan(end - at)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
