import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../support/process/freePort.ts';
import { connectDevTools, type DevTools } from '../../support/process/devTools.ts';
import { scriptsOf, weighHeap } from './heap.ts';

const TIMES = 2000;

/** A package that leaks memory in different ways. */
const PACKAGE = `'use strict';
class Memory {
  #keys = new Map();
  add(key) { this.#keys.set(key, Date.now()); }
}
const memory = new Memory();
const bodies = [];
exports.onExports = [];
exports.remember = (index) => memory.add('key ' + index);
exports.leakVariable = (index) => void bodies.push({ body: 'body ' + index });
exports.leakExport = (index) => void exports.onExports.push({ body: 'body ' + index });
exports.leakListener = (index) => void process.setMaxListeners(0).on('never', () => index);
exports.giveAway = (index) => ({ body: 'body ' + index });
`;

const PROGRAM = `'use strict';
const sample = require('./node_modules/sample-package/index.js');
const returned = [];
setInterval(() => undefined, 1000);
globalThis.times = (work, count) => {
  for (let index = 0; index < count; index++) returned.push(sample[work](index));
};
`;

let folder: string;
let child: ChildProcess;
let devTools: DevTools;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'heap-'));
  const packageFolder = join(folder, 'node_modules/sample-package');
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(join(packageFolder, 'index.js'), PACKAGE);
  writeFileSync(join(folder, 'main.js'), PROGRAM);
  const port = await freePort();
  child = spawn(process.execPath, [`--inspect=127.0.0.1:${port}`, join(folder, 'main.js')]);
  await once(child.stderr!, 'data');
  devTools = await connectDevTools(port);
  // The debugger connects before the script has run.
  while (!(await devTools.run(() => 'times' in globalThis))) await sleep(20);
});
afterEach(() => {
  devTools.close();
  child.kill();
  rmSync(folder, { recursive: true, force: true });
});

const weighed = async () => weighHeap(devTools, await scriptsOf(devTools, 'sample-package'), 'Memory');

async function call(work: string, count: number): Promise<void> {
  await devTools.send('Runtime.evaluate', { expression: `times('${work}', ${count})` });
}

/** The holder that grew most during the calls, and its number of new objects. */
async function grower(work: string): Promise<[holder: string, objects: number]> {
  await call(work, 10);
  const before = await weighed();
  await call(work, TIMES);
  const after = await weighed();
  const growth = Object.entries(after.byHolder).map(([holder, { objects }]): [string, number] => [
    holder,
    objects - (before.byHolder[holder]?.objects ?? 0),
  ]);
  return growth.reduce((most, each) => (each[1] > most[1] ? each : most));
}

test.each([
  ['leakVariable', 'bodies in index.js'],
  ['leakExport', 'exports of index.js'],
  ['leakListener', 'a function() in index.js'],
  ['remember', 'Memory in index.js'],
])('attributes the growth from %s to %s', async (work, holder) => {
  const [name, objects] = await grower(work);
  expect(name).toBe(holder);
  expect(objects).toBeGreaterThanOrEqual(TIMES);
});

test('does not count objects that others hold', async () => {
  const [, objects] = await grower('giveAway');
  expect(objects).toBeLessThan(TIMES / 10);
});

test('counts the keys', async () => {
  await call('remember', TIMES);
  const { keys, data, whole } = await weighed();
  expect(keys).toBe(TIMES);
  expect(data.bytes).toBeLessThan(whole.bytes);
});
