import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { INode, INodeParameters } from 'n8n-workflow';
import type { WorkflowJson } from '../../../../engines/n8n/index.ts';
import { until } from '../../support/n8n/executions.ts';
import type { CredentialRef } from '../../support/n8n/n8nRest.ts';
import { waitForPolls } from '../../support/n8n/polls.ts';
import { openSheet, type Sheet } from '../../support/n8n/sheet.ts';
import { example, exampleFile } from '../../support/n8n/workflows.ts';
import { step } from '../../support/suite/step.ts';
import type { World } from '../../support/n8n/world.ts';

const CODES = 60;
const LOST = 20;

/** Codes that change at once. */
const BATCH = 10;

/** Between polls, and how long their changes wait for their events: much longer than n8n needs for a batch. */
const SECONDS = 10;

/** The examples that pass on what no event has delivered, behind a proxy that drops deliveries for a while. */
export function quietTriggerSteps(
  world: Pick<World, 'n8n' | 'client' | 'credential' | 'loadBalancer' | 'emulator'>,
): void {
  const { n8n, client, loadBalancer, emulator } = world;
  const { control } = emulator;
  const codes: { id: string; name: string }[] = [];
  const published: string[] = [];
  let sheet: Sheet | undefined;
  // Not within a step: it would run when that step ends.
  after(() => sheet?.close());

  const rename = (suffix: string, some = codes.slice(0, LOST)) => {
    for (const { id, name } of some) control.rename(id, `${name}, ${suffix}`);
  };
  const rows = (suffix: string) =>
    sheet!.rows('Rows').filter(({ name }) => (name as string).endsWith(`, ${suffix}`));
  const cameBy = (suffix: string) => [...new Set(rows(suffix).map((row) => row['cameBy']))];
  const alarms = () => sheet!.rows('Tell the Team').map(({ text }) => text as string);
  const subscription = () => control.subscriptions().at(-1)!;
  /** Waits until the changes so far have been polled, have waited for their events and have been processed. */
  async function waitForChecks(workflowId: string): Promise<void> {
    await waitForPolls(control, '/qr', 2);
    await until('no poll waits for events', async () =>
      (await n8n.executions(workflowId)).every(({ status }) => status === 'success'),
    );
  }

  function expectEachOnce(suffix: string, count: number): void {
    const changes = rows(suffix).map(({ change }) => change);
    assert.equal(new Set(changes).size, changes.length, 'no row is there twice');
    assert.deepEqual(
      rows(suffix)
        .map(({ name }) => name)
        .sort(),
      codes
        .slice(0, count)
        .map(({ name }) => `${name}, ${suffix}`)
        .sort(),
    );
  }

  step('the samples of the alarm workflow run at once, without third parties', async () => {
    const workflowId = await n8n.saveWorkflow(withThirdParties(world.credential));
    const ends = async (trigger: string) => n8n.waitUntilEnded(await n8n.run(workflowId, trigger));
    await ends('Set Up Once');
    const { items, error } = await ends('Events');
    assert.equal(error, undefined);
    assert.deepEqual([items['Rows']?.length, items['Tell the Team']?.length], [2, 1]);
  });

  step('nothing is raised while 60 changes arrive by event, and each is there once', async () => {
    sheet = await openSheet();
    const content = { targetUrl: 'https://example.com/' };
    const created = Array.from({ length: CODES }, (_, index) =>
      client.qr.create({ name: `Quiet ${index}`, mode: 'dynamic', contentType: 'url', content }),
    );
    codes.push(...(await Promise.all(created)));
    const receiver = await n8n.saveWorkflow(
      quickly(example('quiet-trigger-alarm', world.credential, sheet.writer)),
    );
    const { error } = await n8n.waitUntilEnded(await n8n.run(receiver, 'Set Up Once'));
    assert.equal(error, undefined);
    await n8n.activate(receiver);
    const events = await n8n.saveWorkflow(
      handingOver(example('quiet-trigger-alarm-events', world.credential), receiver),
    );
    await n8n.activate(events);
    published.push(events, receiver);

    for (let from = 0; from < CODES; from += BATCH) {
      rename('well', codes.slice(from, from + BATCH));
      await until('all rows are there', () => rows('well').length >= from + BATCH);
    }
    await waitForChecks(receiver);
    expectEachOnce('well', CODES);
    assert.deepEqual(cameBy('well'), ['event']);
    assert.deepEqual(alarms(), []);
  });

  step('changes whose deliveries a proxy drops are passed on once, with one alarm', async () => {
    loadBalancer.drops = true;
    rename('dropped');
    let isLate = false;
    void waitForPolls(control, '/qr', 3).then(() => (isLate = true));
    await until('the alarm is raised', () => alarms().length > 0);
    assert.ok(!isLate, 'the alarm is raised within two polls');
    // A second poll finds changes without events.
    rename('still dropped');
    const isPassedOn = (suffix: string) => () => rows(suffix).length >= LOST;
    await until('these are passed on', isPassedOn('still dropped'));
    await until('the service gave up', () =>
      control
        .deliveries()
        .filter(({ subscriptionId }) => subscriptionId === subscription().id)
        .every(({ status }) => status !== 'pending'),
    );
    loadBalancer.drops = false;
    expectEachOnce('dropped', LOST);
    expectEachOnce('still dropped', LOST);
    assert.deepEqual([...cameBy('dropped'), ...cameBy('still dropped')], ['poll', 'poll']);
    assert.equal(alarms().length, 1);
    assert.match(
      alarms()[0]!,
      /^The QR Service Trigger has gone quiet: \d+ changed QR code\(s\) came by polling/,
    );
    assert.match(alarms()[0]!, /within 10 seconds.*Last event: 20\d\d-/s);
    console.log(`  ${alarms()[0]!.split('\n')[0]}`);
  });

  step('the next alarm is raised once events have arrived and stopped again', async () => {
    rename('recovered');
    await until('all rows are there', () => rows('recovered').length >= LOST);
    assert.deepEqual(cameBy('recovered'), ['event']);
    loadBalancer.drops = true;
    rename('dropped again');
    await until('the alarm is raised', () => alarms().length > 1);
    loadBalancer.drops = false;
    await control.settled();
    expectEachOnce('recovered', LOST);
    expectEachOnce('dropped again', LOST);
    assert.equal(alarms().length, 2);
  });

  step('while the sheet and then the chat fail, changes are passed on again, with one alarm', async () => {
    rename('well again');
    await until('all rows are there', () => rows('well again').length >= LOST);
    loadBalancer.drops = true;
    // All tries of one execution, and then the alarms of two.
    const { maxTries } = exampleFile('quiet-trigger-alarm').nodes.find(({ name }) => name === 'Rows')!;
    sheet!.refuse('Rows', LOST * maxTries!);
    sheet!.refuse('Tell the Team', 2);
    rename('dropped while all fails');
    await until('the alarm is raised', () => alarms().length > 2);
    loadBalancer.drops = false;
    await control.settled();
    // Each try appends its rows here. The example's own node updates them.
    assert.equal(new Set(rows('dropped while all fails').map(({ change }) => change)).size, LOST);
    assert.equal(alarms().length, 3);
    for (const id of published) await n8n.deactivate(id);
  });
}

const withThirdParties = (credential: CredentialRef) =>
  example('quiet-trigger-alarm', credential, () => ({}));

/** Polls and waits for seconds, may raise alarms within the same hour, and writes the alarm's text to the sheet. */
function quickly(workflow: WorkflowJson): WorkflowJson {
  const { pinData: _pinData, ...rest } = workflow;
  const original = withThirdParties({ id: '', name: '' });
  const parametersOf = (nodes: INode[], name: string) => nodes.find((node) => node.name === name)!.parameters;
  const times = Array.from({ length: 60 / SECONDS }, (_, index) => ({
    mode: 'custom',
    cronExpression: `${index * SECONDS} * * * * *`,
  }));
  parametersOf(workflow.nodes, 'Changed Codes')['pollTimes'] = { item: times };
  Object.assign(parametersOf(workflow.nodes, 'Wait for the Event'), { amount: SECONDS, unit: 'seconds' });
  parametersOf(workflow.nodes, 'At Most Once an Hour')['dedupeValue'] = '={{ $execution.id }}';
  const { text } = parametersOf(original.nodes, 'Tell the Team');
  Object.assign(parametersOf(workflow.nodes, 'Tell the Team'), {
    specifyBody: 'keypair',
    bodyParameters: { parameters: [{ name: 'text', value: text }] },
  } satisfies INodeParameters);
  return rest;
}

function handingOver(workflow: WorkflowJson, workflowId: string): WorkflowJson {
  for (const { name, parameters } of workflow.nodes)
    if (name === 'Hand Over') parameters['workflowId'] = { __rl: true, mode: 'id', value: workflowId };
  return workflow;
}
