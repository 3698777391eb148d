import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BRAND, headerNames } from '@qr-service/core/connector';
import { sampleEvent } from '@qr-service/core/webhook';
import { signWebhook } from '@qr-service/core';
import { startEmulator } from 'qr-service-emulator';
import { request } from 'undici';
import { startEmulatorProcess, type EmulatorProcess } from '../../engines/emulator/process.ts';
import { atLeast } from '../support/verdict.ts';
import { startBareHono } from './bareHono.ts';
import { startBareServer } from './bareServer.ts';
import { runConcurrently, compare, record, type Contender } from './compare.ts';

const CONCURRENCY = 32;
/** Concurrent delivery attempts of the emulator to one subscription. */
const DELIVERY_CONCURRENCY = 8;
const HOST = 'hooks.example.com';
const ROUNDS = 5;
const NO_LIMIT = { limit: 1_000_000_000, windowSeconds: 60 };
const NAMES = headerNames(BRAND.headerPrefix);

/** Target rates per second, on two cores shared with the client. */
const CREATES = 3_000;
const DELIVERIES = 1_000;

/** How much load can the emulator handle? */
export async function run(): Promise<void> {
  const found = { creates: await creates(), deliveries: await deliveries(), lists: await lists() };
  record('emulator', found);
}

async function creates() {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-bench-'));
  const bare = await startBareHono();
  const [inMemory, inFile] = [await start(), await start({ db: join(folder, 'emulator.db') })];
  let count = 0;
  const post = async (url: string, apiKey: string) => {
    const index = ++count;
    const response = await request(`${url}/v1/public-api/qr`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': `key-${index}` },
      body: JSON.stringify({
        name: `Table ${index}`,
        mode: 'dynamic',
        contentType: 'url',
        content: { targetUrl: 'https://example.com/menu' },
      }),
    });
    await response.body.dump();
    if (response.statusCode !== 201) throw new Error(`A create returned ${response.statusCode}.`);
  };
  const contender = (name: string, { url, apiKey }: { url: string; apiKey: string }): Contender => ({
    name,
    operations: 3_000,
    run: () => runConcurrently(3_000, CONCURRENCY, () => post(url, apiKey)),
  });
  const rows = await compare(
    'Creating codes, each with an Idempotency-Key',
    [
      contender('emulator in memory', inMemory),
      contender('bare hono route', { url: bare.url, apiKey: 'key' }),
      contender('emulator in a file', inFile),
    ],
    [{ of: 'bare hono route', minRatio: 0.15 }],
    ROUNDS,
  );
  printRate(rows[0]?.rate, CREATES);
  bare.stop();
  await Promise.all([inMemory.stop(), inFile.stop()]);
  rmSync(folder, { recursive: true });
  return rows;
}

async function deliveries() {
  const count = 1_000;
  const receiver = await startBareServer();
  const emulator = await start({ connectTo: { [HOST]: new URL(receiver.url).host } });
  await call(emulator, 'POST', '/webhooks', { url: `https://${HOST}/in`, eventTypes: ['qr.created'] });
  const body = JSON.stringify(sampleEvent('qr.created'));
  const headers = () => {
    const timestamp = Math.floor(Date.now() / 1000);
    return { [NAMES.signature]: signWebhook({ body, secret: 'a secret', timestamp }) };
  };
  const post = async () =>
    (await request(`${receiver.url}/in`, { method: 'POST', headers: headers(), body })).body.dump();
  const rows = await compare(
    'Signed deliveries',
    [
      {
        name: 'emulator',
        operations: count,
        run: async () => {
          await Promise.all(Array.from({ length: count }, () => emulator.control.emit('qr.created')));
          await emulator.control.settled();
        },
      },
      {
        name: 'bare undici posts',
        operations: count,
        run: () => runConcurrently(count, DELIVERY_CONCURRENCY, post),
      },
    ],
    [{ of: 'bare undici posts', minRatio: 0.15 }],
    ROUNDS,
  );
  printRate(rows[0]?.rate, DELIVERIES);
  receiver.stop();
  await emulator.stop();
  return rows;
}

async function lists() {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-bench-'));
  const many = await startWithCodes(100_000, join(folder, 'many.db'));
  const few = await startWithCodes(1_000, join(folder, 'few.db'));
  const pages = async (emulator: EmulatorProcess) => {
    const first = await call(emulator, 'GET', '/qr?limit=100');
    const middle = `/qr?limit=100&updatedSince=${(first.data[50] ?? { updatedAt: '' }).updatedAt}`;
    return runConcurrently(200, 4, async () => {
      const { data, pagination } = await call(emulator, 'GET', middle);
      const next = await call(emulator, 'GET', `/qr?limit=100&cursor=${pagination.nextCursor ?? ''}`);
      if (data.length + next.data.length !== 200) throw new Error('A page was not full.');
    });
  };
  const contender = (name: string, emulator: EmulatorProcess): Contender => ({
    name,
    operations: 400,
    run: () => pages(emulator),
  });
  const rows = await compare(
    'Pages of 100 codes',
    [contender('of 100,000 codes', many), contender('of 1,000 codes', few)],
    [{ of: 'of 1,000 codes', minRatio: 0.9 }],
    ROUNDS,
  );
  await Promise.all([many.stop(), few.stop()]);
  rmSync(folder, { recursive: true });
  return rows;
}

function start(settings: { db?: string; connectTo?: Record<string, string> } = {}): Promise<EmulatorProcess> {
  return startEmulatorProcess({ port: 4200, rateLimit: NO_LIMIT, ...settings });
}

/** Starts an emulator with this many codes. */
async function startWithCodes(count: number, db: string): Promise<EmulatorProcess> {
  const codes = Array.from({ length: count }, (_, index) => ({
    name: `Code ${index}`,
    targetUrl: 'https://example.com/menu',
  }));
  await (await startEmulator({ db, seed: { codes } })).stop();
  return start({ db });
}

interface Page {
  data: { updatedAt: string }[];
  pagination: { nextCursor: string | null };
}

async function call(emulator: EmulatorProcess, method: string, path: string, body?: object): Promise<Page> {
  const response = await request(`${emulator.url}/v1/public-api${path}`, {
    method: method as 'GET',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.statusCode >= 300) throw new Error(`${method} ${path} returned ${response.statusCode}.`);
  return (await response.body.json()) as Page;
}

function printRate(rate = NaN, target: number): void {
  console.log(`  ${rate.toLocaleString('en')}/s ${atLeast(target, rate, '/s')}`);
}
