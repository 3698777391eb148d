import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sampleEvent } from '@qr-service/core/webhook';
import { signWebhook } from '@qr-service/core';
import { startEmulator, type Emulator } from 'qr-service-emulator';
import { CONSUMER_NODE, packCore, type PackedCore } from './support/packCore.ts';

const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
const README = read('shared/README.md');
const BLOCKS = [...`${README}\n${read('docs/core.md')}`.matchAll(/```js\n(.*?)```/gs)].map(
  ([, code = '']) => code,
);
const SECRET = 'a signing secret';

/** The code block that contains a phrase. */
function block(phrase: string): string {
  const found = BLOCKS.filter((code) => code.includes(phrase));
  if (found.length !== 1) throw new Error(`${found.length} code blocks contain ${phrase}.`);
  return found[0]!;
}

/** The start of the first block, up to the client. Later blocks depend on it. */
const CLIENT = block('client.qr.publish').split('\n\n').slice(0, 2).join('\n');

describe('the README for library users', () => {
  let emulator: Emulator;
  let core: PackedCore;
  let consumer: string;
  beforeAll(async () => {
    emulator = await startEmulator();
    core = await packCore();
    consumer = await core.install('esm', ['undici', 'hono', '@hono/node-server']);
  });
  afterAll(async () => {
    await core.remove();
    await emulator.stop();
  });

  async function start(code: string, env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const file = join(consumer, 'block.mjs');
    await writeFile(file, code);
    const service = { QR_SERVICE_URL: emulator.url, QR_SERVICE_API_KEY: emulator.apiKey };
    return spawn(CONSUMER_NODE, [file], { env: { ...process.env, ...service, NODE_OPTIONS: '', ...env } });
  }

  async function run(code: string): Promise<string> {
    const child = await start(code);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += String(chunk)));
    const [exitCode] = (await once(child, 'close')) as [number];
    if (exitCode !== 0) throw new Error(output);
    return output;
  }

  it('starts with an example that works', async () => {
    expect(await run(block('client.qr.publish'))).toMatch(/^http\S+\/r\/table-4\S* \S+\.svg \d{3,}\n$/);
  });

  it('shows a custom idempotency key that works', async () => {
    expect(await run(`${CLIENT}\n${block('idempotencyKeyFrom')}`)).toBe('true\n');
  });

  it('shows list iteration that works', async () => {
    expect(await run(`${CLIENT}\n${block('for await')}`)).toMatch(/^Table 4\n(.*\n)*0 \[.*\]\n$/s);
  });

  it('shows error handling that works', async () => {
    expect(await run(`${CLIENT}\n${block('qr_of_yesterday')}`)).toBe('gone\n');
  });

  it('shows how to sign a test delivery and accept two secrets', async () => {
    expect(await run(block('sampleEvent('))).toBe('feedback.low_score_received\n');
  });

  it('shows a transport for fetch that works', async () => {
    expect(await run(block('createTransport({'))).toContain('workspace');
  });

  it.each(['node:http', 'hono'])('shows a webhook receiver with %s that works', async (from) => {
    const port = await freePort();
    const child = await start(block(`from '${from}'`), { PORT: String(port), WEBHOOK_SECRET: SECRET });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    const body = JSON.stringify(sampleEvent('qr.published'));
    const timestamp = Math.floor(Date.now() / 1000);
    const deliver = (secret: string) =>
      whenListening(() =>
        fetch(`http://127.0.0.1:${port}/`, {
          method: 'POST',
          body,
          headers: { 'X-Service-Signature': signWebhook({ body, secret, timestamp }) },
        }),
      );
    expect((await deliver('another secret')).status).toBe(401);
    expect((await deliver(SECRET)).status).toBe(204);
    child.kill();
    await once(child, 'close');
    expect(output).toMatch(/^evt_sample_qr_published qr\.published /);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Retries while the server is starting. */
async function whenListening<T>(request: () => Promise<T>, triesLeft = 100): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (triesLeft === 0) throw error;
    await delay(50);
    return whenListening(request, triesLeft - 1);
  }
}
