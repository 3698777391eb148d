import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { atExit } from '../../../scripts/process/atExit.ts';
import { waitForExecutions, until } from '../support/n8n/executions.ts';
import { freePort } from '../../support/process/freePort.ts';
import { chain, NO_OP, TRIGGER } from '../support/n8n/workflows.ts';
import { startWorld, type World } from '../support/n8n/world.ts';
import { connectDevTools, type DevTools } from '../support/process/devTools.ts';
import { countResponses, flood, summarize, type Attack, type Judgement } from './flood.ts';
import { idleFootprint, describeGrowth, extraHandles } from './footprint.ts';
import type { RawResponse } from './rawRequest.ts';
import { startSlowSenders } from './slowSenders.ts';
import { MAY_BE_ACKNOWLEDGED, TRIGGER_REQUESTS, type TriggerContext } from './triggerRequests.ts';

/** Sent before measuring, so that one-time allocations have happened. */
const WARM_UP = 500;
const SLOW_SENDERS = 150;
/** Genuine deliveries in between, as many as fit into the executions list. */
const GENUINE = 90;
/** Sent to the test URL while it is listening. n8n stops listening after two minutes. */
const TEST_REQUESTS = 300;

const MB = 1024 * 1024;
const MAX_HEAP_GROWTH = 12 * MB;
/** Maximum log output of the node per rejected delivery, in bytes. */
const MAX_LOG_PER_REJECTION = 20;

/** 5xx responses of n8n itself, before it calls the node, by kind of request. */
const N8N_ERRORS = [
  // Errors of its body parser. The log shows which: a broken stream, or "request entity too large".
  { kinds: /: (?:broken |over |\w+ bomb)|wrong length$/, text: 'There was a problem executing the workflow' },
  { kinds: /^other method$/, text: 'is not supported.' },
  // At /webhook-waiting, where it reads the path as the ID of an execution.
  { kinds: /^other path$/, text: 'no such column: NaN' },
];

/** Floods the instant trigger of a real n8n server. @throws AssertionError */
export async function floodTrigger(task: Attack): Promise<string> {
  const { log } = task;
  const logs = mkdtempSync(join(tmpdir(), 'qr-service-hostile-'));
  const removeLogs = () => rmSync(logs, { recursive: true, force: true });
  atExit(removeLogs);
  const inspector = await freePort();
  const world = await startWorld(
    log,
    { deliveriesKept: 1000 },
    {
      nodeArgs: [`--inspect=127.0.0.1:${inspector}`],
      env: {
        NODE_ENV: 'production',
        // On a busy machine, n8n would take its database for lost, and respond to everything with 503.
        DB_PING_TIMEOUT_MS: '60000',
        N8N_LOG_OUTPUT: 'console,file',
        N8N_LOG_FILE_LOCATION: join(logs, 'n8n.log'),
      },
    },
  );
  const server = await connectDevTools(inspector);
  try {
    return await floodWorld(world, server, logs, task);
  } catch (error) {
    log(`\nEnd of n8n's output:\n${world.server.log().slice(-3000)}`);
    throw error;
  } finally {
    server.close();
    await world.stop();
    removeLogs();
  }
}

async function floodWorld(
  world: World,
  server: DevTools,
  logs: string,
  { count, seed, log }: Attack,
): Promise<string> {
  const { n8n, emulator, client } = world;
  const port = Number(new URL(world.server.url).port);
  const workflowId = await n8n.saveWorkflow(
    chain('Hostile', world.credential, [
      { name: 'Trigger', type: TRIGGER, parameters: { events: ['qr.created'] } },
      { name: 'Rows', type: NO_OP },
    ]),
  );
  await n8n.activate(workflowId);
  const other = await client.webhooks.subscribe({
    url: 'https://other.example.com/',
    eventTypes: ['qr.deleted'],
  });
  const subscribed = emulator.control.subscriptions();
  const own = subscribed.find(({ id }) => id !== other.id)!;
  const database = openDatabase(await server.run(() => process.env['N8N_USER_FOLDER'] ?? ''));
  const storedWorkflow = () => database.workflow(workflowId);
  const before = storedWorkflow();

  const sentIds: string[] = [];
  const deliverOne = () => void sentIds.push(emulator.control.emit('qr.created').id);
  const contextOf = (url: string, secret: string): TriggerContext => ({
    path: new URL(url).pathname,
    secret,
    otherSecret: other.secret,
    capture: () => latestDelivery(emulator, own.id),
  });
  const settings = { port, context: contextOf(own.url, own.secret), requests: TRIGGER_REQUESTS, judge };

  deliverOne();
  await emulator.control.settled();
  log(
    `\nThe trigger: ${WARM_UP} hostile deliveries to warm up, then ${count}, ${SLOW_SENDERS} slow senders at the same time`,
  );
  await flood({ ...settings, count: WARM_UP, seed: seed + 1_000_000_000 });
  const idle = await idleFootprint(server);
  const logBefore = logged(logs);

  const slow = startSlowSenders(port, SLOW_SENDERS, {
    method: 'POST',
    target: settings.context.path,
    headers: [
      ['Host', 'n8n.example.com'],
      ['Content-Type', 'application/json'],
    ],
  });
  let fewestSlow = Infinity;
  const tally = await flood({
    ...settings,
    count,
    seed,
    onProgress(sent) {
      fewestSlow = Math.min(fewestSlow, slow.open());
      while (sentIds.length < 1 + (GENUINE - 2) * (sent / count)) deliverOne();
      if (sent % 1000 === 0 || sent === count) log(`  ${sent} of ${count} sent`);
    },
  });
  slow.abort();
  await emulator.control.settled();
  const after = await idleFootprint(server, idle);
  const logAfter = logged(logs);
  const byNode = logAfter.byNode - logBefore.byNode;

  const atTest = await floodTest(world, workflowId, own.id, settings, { seed, log });
  sentIds.push(atTest.eventId, atTest.eventId);

  log(`\nResponses:\n${summarize(tally)}`);
  const rejected = countResponses(tally, (outcome) => outcome.startsWith('401 '));
  log(`\n${describeGrowth(idle, after)}`);
  log(
    `Log: ${kB(byNode)} by the node, which rejected ${rejected}, and ${kB(logAfter.byN8n - logBefore.byN8n)} by n8n itself`,
  );

  assert.deepEqual([...tally.problems, ...atTest.problems], []);
  const executions = await waitForExecutions(n8n, workflowId, sentIds.length);
  const ran = executions.map(({ items }) => items['Rows']?.[0]?.json['eventId']).sort();
  assert.deepEqual(
    ran,
    sentIds.toSorted(),
    'Each genuine delivery starts one execution, and nothing else does.',
  );
  assert.equal(database.executions(workflowId), sentIds.length, 'No execution is hidden from the list.');
  assert.ok(
    emulator.control.deliveries().every(({ attempts }) => attempts.at(-1)?.status === 200),
    'Each genuine delivery is accepted despite slow and hostile ones.',
  );
  assert.ok(rejected > count / 4, 'Enough requests reach the node to be meaningful.');
  assert.ok(fewestSlow > SLOW_SENDERS / 2, `Slow senders stay connected, but only ${fewestSlow} did.`);
  assert.deepEqual(storedWorkflow(), before, 'The static data and the activation are unchanged.');
  assert.deepEqual(emulator.control.subscriptions(), subscribed, 'The subscriptions are unchanged.');
  assert.ok(after.heap - idle.heap < MAX_HEAP_GROWTH, `The heap has grown: ${describeGrowth(idle, after)}`);
  assert.deepEqual(extraHandles(idle, after), [], 'No handles are left open.');
  assert.ok(
    byNode < rejected * MAX_LOG_PER_REJECTION,
    `The node writes ${Math.round(byNode / rejected)} bytes of log per rejected delivery.`,
  );
  database.close();
  const slowest = Math.round(slowestMs(emulator));
  return (
    `hostile deliveries: ${count} to the trigger (${rejected} reached it), 0 failed with 5xx in it, 0 executions; ` +
    `${sentIds.length} genuine ones ran once each, the slowest in ${slowest} ms; ` +
    describeGrowth(idle, after)
  );
}

/** Floods the test URL while it is listening. It keeps listening, and accepts only the genuine event. */
async function floodTest(
  { n8n, emulator }: World,
  workflowId: string,
  productionId: string,
  settings: { port: number; context: TriggerContext; judge: typeof judge },
  { seed, log }: Pick<Attack, 'seed' | 'log'>,
): Promise<{ eventId: string; problems: ReadonlySet<string> }> {
  const others = new Set(emulator.control.subscriptions().map(({ id }) => id));
  await n8n.listen(workflowId, 'Trigger');
  const test = emulator.control.subscriptions().find(({ id }) => !others.has(id))!;
  const context = { ...settings.context, path: new URL(test.url).pathname, secret: test.secret };
  // Captured deliveries come from the production subscription, so here they belong to another one.
  const tally = await flood({
    ...settings,
    context,
    requests: TRIGGER_REQUESTS,
    count: TEST_REQUESTS,
    seed: seed + 2_000_000_000,
  });
  log(`  ${tally.sent} sent to the test URL`);
  assert.ok(
    countResponses(tally, (outcome) => outcome.startsWith('401 ')) > TEST_REQUESTS / 4,
    'The test still listens.',
  );
  const { id } = emulator.control.emit('qr.created');
  await until('the test has ended', () =>
    emulator.control.subscriptions().every((one) => one.id !== test.id),
  );
  await emulator.control.settled();
  assert.notEqual(productionId, test.id);
  return { eventId: id, problems: tally.problems };
}

/** A missing response, a server error that isn't n8n's own, or an accepted delivery is a problem. */
function judge({ status, body }: RawResponse, kind: string): Judgement {
  // n8n shares one XML parser between all requests. Of two concurrent ones, it responds to one at most.
  if (Number.isNaN(status) && kind.endsWith(': XML')) return { outcome: 'nothing, by n8n' };
  if (Number.isNaN(status)) return { outcome: 'nothing', problem: 'no response' };
  const reason = /"error":"invalid_signature","reason":"(\w+)"/.exec(body)?.[1];
  if (status === 401 && reason !== undefined) return { outcome: `401 ${reason}` };
  const known = N8N_ERRORS.find(({ kinds, text }) => kinds.test(kind) && body.includes(text));
  if (status >= 500 && known !== undefined) return { outcome: `${status} by n8n (${known.text})` };
  const outcome = status === 0 ? 'closed' : String(status);
  const isTaken = status >= 200 && status < 300 && !MAY_BE_ACKNOWLEDGED.has(kind);
  return status >= 500 || isTaken ? { outcome, problem: `${status} ${body}` } : { outcome };
}

function latestDelivery({ control }: World['emulator'], subscriptionId: string) {
  const delivery = control
    .deliveries()
    .findLast((one) => one.subscriptionId === subscriptionId && one.attempts.at(-1)?.status === 200);
  if (delivery === undefined) throw new Error('No delivery has succeeded yet.');
  return { body: delivery.body, headers: delivery.attempts[0]!.headers };
}

function openDatabase(userFolder: string) {
  const file = join(userFolder, '.n8n/database.sqlite');
  assert.ok(existsSync(file));
  const database = new DatabaseSync(file, { readOnly: true });
  const executions = database.prepare('SELECT COUNT(*) AS count FROM execution_entity WHERE workflowId = ?');
  const workflow = database.prepare(
    'SELECT active, activeVersionId, staticData FROM workflow_entity WHERE id = ?',
  );
  return {
    executions: (workflowId: string) => Number(executions.get(workflowId)?.['count']),
    workflow: (workflowId: string) => ({ ...workflow.get(workflowId) }),
    close: () => database.close(),
  };
}

/** Size of the log so far, in characters. */
function logged(folder: string): { byNode: number; byN8n: number } {
  const size = { byNode: 0, byN8n: 0 };
  for (const name of readdirSync(folder))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n'))
      size[line.includes('trigger was refused') ? 'byNode' : 'byN8n'] += line.length;
  return size;
}

function slowestMs({ control }: World['emulator']): number {
  return Math.max(
    ...control.deliveries().flatMap(({ attempts }) => attempts.map(({ durationMs }) => durationMs)),
  );
}

const kB = (bytes: number) => `${Math.round(bytes / 1024)} kB`;
