import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { QrServiceClient } from '@qr-service/core';
import { undiciTransport } from '@qr-service/core/undici';
import { freePort } from '../../support/process/freePort.ts';
import { isReachable, managedProcess } from '../../support/process/managedProcess.ts';
import { connectDevTools } from '../support/process/devTools.ts';
import { EMULATOR_REQUESTS } from './emulatorRequests.ts';
import { flood, summarize, type Attack, type Judgement } from './flood.ts';
import { idleFootprint, describeGrowth, extraHandles } from './footprint.ts';
import type { RawResponse } from './rawRequest.ts';
import { startSlowSenders } from './slowSenders.ts';

const CLI = fileURLToPath(new URL('../../../packages/emulator/src/cli.ts', import.meta.url));
const API_KEY = 'hostile-test-key';
/** Enough to fill the request log with the largest requests that it keeps. */
const WARM_UP = 3000;
const SLOW_SENDERS = 100;
const MAX_HEAP_GROWTH = 24 * 1024 * 1024;

/** Floods the emulator's API, control API, redirect host and inspector. @throws AssertionError */
export async function floodEmulator({ count, seed, log }: Attack): Promise<string> {
  const [port, inspector] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const emulator = managedProcess({
    name: 'the emulator',
    command: process.execPath,
    args: [
      `--inspect=127.0.0.1:${inspector}`,
      '--conditions=@qr-service/source',
      ...[CLI, '--port', String(port), '--api-key', API_KEY, '--rate-limit', '1000000/1'],
    ],
    isReady: () => isReachable(`${url}/_emulator/clock`),
  });
  const control = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}/_emulator${path}`, { method: 'POST' });
    return response.status === 204 ? undefined : response.json();
  };
  await emulator.start();
  const inside = await connectDevTools(inspector);
  try {
    const client = new QrServiceClient({ baseUrl: url, apiKey: API_KEY, transport: undiciTransport() });
    const code = await client.qr.create({
      name: 'Table 4',
      mode: 'dynamic',
      contentType: 'url',
      content: { targetUrl: 'https://example.com/' },
    });
    await client.qr.publish(code.id);
    const snapshot = (await control('/snapshots')) as { id: string };
    const restore = () => control(`/snapshots/${snapshot.id}/restore`);
    const context = { host: `127.0.0.1:${port}`, apiKey: API_KEY, qrId: code.id, slug: code.slug };
    const settings = { port, context, requests: EMULATOR_REQUESTS, judge };

    log(
      `\nThe emulator: ${WARM_UP} hostile requests to warm up, then ${count}, ${SLOW_SENDERS} slow senders at the same time`,
    );
    await flood({ ...settings, count: WARM_UP, seed: seed + 1_000_000_000 });
    await restore();
    const idle = await idleFootprint(inside);
    const slow = startSlowSenders(port, SLOW_SENDERS, {
      method: 'POST',
      target: '/_emulator/events',
      headers: [['Host', context.host]],
    });
    let slowest = 0;
    const tally = await flood({
      ...settings,
      count,
      seed,
      async onProgress(sent) {
        const startedAt = performance.now();
        await fetch(`${url}/_emulator/clock`);
        slowest = Math.max(slowest, performance.now() - startedAt);
        if (sent % 1000 === 0 || sent === count) log(`  ${sent} of ${count} sent`);
      },
    });
    slow.abort();
    await restore();
    const after = await idleFootprint(inside, idle);

    log(`\nResponses:\n${summarize(tally)}\n\n${describeGrowth(idle, after)}`);
    assert.deepEqual([...tally.problems], []);
    assert.ok(emulator.isRunning(), 'The emulator is still running.');
    assert.equal((await client.qr.get(code.id)).status, 'published', 'The codes are unchanged.');
    assert.doesNotMatch(emulator.log(), /internal error/);
    assert.deepEqual(extraHandles(idle, after), [], 'No handles are left open.');
    assert.ok(after.heap - idle.heap < MAX_HEAP_GROWTH, `The heap has grown: ${describeGrowth(idle, after)}`);
    return (
      `hostile requests: ${tally.sent} to the emulator, 0 failed with 5xx, a genuine request took ` +
      `${Math.round(slowest)} ms at most; ${describeGrowth(idle, after)}`
    );
  } catch (error) {
    log(`\nEnd of the emulator's output:\n${emulator.log().slice(-3000)}`);
    throw error;
  } finally {
    inside.close();
    await emulator.stop();
  }
}

/** A missing response or a server error is a problem. */
function judge({ status, body }: RawResponse): Judgement {
  if (Number.isNaN(status)) return { outcome: 'nothing', problem: 'no response' };
  const outcome = status === 0 ? 'closed' : String(status);
  return status < 500
    ? { outcome }
    : { outcome, problem: `${status} ${body.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 500)}` };
}
