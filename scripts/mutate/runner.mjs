/**
 * Stryker's test runner and Jest's environment for it: loads each test file once, then runs its tests for one mutant
 * after the other, as retries of Jest. What a mutant leaves behind decides nothing: a failure counts if the test then
 * passes without the mutant. Otherwise, and before a mutant counts as survived, the files are loaded anew.
 */
import { relative } from 'node:path';
import process from 'node:process';
import { runCLI } from 'jest';
import { TestEnvironment } from 'jest-environment-node';

/** What the instrumented code reads and counts. */
const context = {};
globalThis.__stryker__ = context;
/** Takes a test file's environment once it is loaded, by path. */
const loading = new Map();

/** A test file. Jest waits in it for the next tests to run. */
export default class TestFile extends TestEnvironment {
  constructor(config, jest) {
    super(config, jest);
    this.global.__stryker__ = context;
    this.path = relative(process.cwd(), jest.testPath);
  }

  /** Runs these tests until one fails. Returns that one, if any. Without tests, the file ends. */
  run(ids) {
    return new Promise((finish) => {
      Object.assign(this, { ids, finish, failed: undefined });
      this.wake();
    });
  }

  async handleTestEvent({ name, test, describeBlock }, state) {
    const { rootDescribeBlock: root, unhandledErrors } = state;
    if (name === 'run_start') {
      this.tests = testsIn(root);
      for (const [index, each] of this.tests.entries()) each.id = `${this.path}#${index}`;
      state.describeRetryOptions.set(root, { numRetries: 1e9 });
      await this.pause(() => loading.get(this.path)(this));
    }
    if (name === 'test_started') context.currentTestId = test.id;
    if (name === 'test_done') {
      context.currentTestId = undefined;
      if (test.errors.length > 0) {
        this.failed ??= { id: test.id, errors: test.errors };
        for (const other of this.tests) other.mode = 'skip';
      }
    }
    // Jest retries what failed.
    if (name === 'run_describe_finish' && describeBlock === root && this.ids.size > 0)
      this.tests[0].errors.push(['again']);
    if (name === 'describe_retry') await this.pause(() => this.finish(this.failed));
    if (name === 'run_finish') {
      // Also after an error outside of tests.
      this.hasEnded = true;
      this.finish(this.failed ?? { id: this.tests[0].id, errors: unhandledErrors });
    }
  }

  async pause(say) {
    await new Promise((wake) => {
      this.wake = wake;
      say();
    });
    for (const test of this.tests) test.mode = this.ids.has(test.id) ? undefined : 'skip';
  }
}

const testsIn = (block) =>
  block.children.flatMap((child) => (child.type === 'test' ? child : testsIn(child)));
const pathsOf = (ids) => new Set(ids.map((id) => id.split('#')[0]));

class Runner {
  files = new Map();
  /** Tests that pass only once after their file is loaded. */
  once = new Set();

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun() {
    const tests = [];
    for (const path of JSON.parse(process.env.MUTATION_TESTS)) {
      const file = await this.load(path);
      const failed = await this.run(file.tests.map(({ id }) => id));
      if (failed !== undefined) return { status: 'error', errorMessage: `${failed.id}: ${failed.errors}` };
      for (const { id, name, duration } of file.tests)
        tests.push({ id, name, timeSpentMs: duration ?? 0, status: 0 });
    }
    return { status: 'complete', tests, mutantCoverage: context.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const attempt = async (ids) => {
      // Without the mutant, which would otherwise stay in what is made while loading.
      for (const path of pathsOf(ids)) await this.load(path);
      Object.assign(context, { activeMutant: activeMutant.id, hitCount: hitLimit && 0, hitLimit });
      const failed = await this.run(ids);
      const isEndless = context.hitCount > hitLimit;
      Object.assign(context, { activeMutant: undefined, hitCount: undefined });
      if (isEndless) return { status: 'timeout' };
      if (failed === undefined) return { status: 'survived', nrOfTests: ids.length };
      return { status: 'killed', killedBy: [failed.id], failureMessage: '', nrOfTests: ids.length };
    };
    const first = await attempt(testFilter.filter((id) => !this.once.has(id)));
    if (first.status === 'timeout') return first;
    if (first.status === 'killed' && (await this.run(first.killedBy)) === undefined) return first;
    for (const id of first.killedBy ?? []) this.once.add(id);
    for (const path of pathsOf(testFilter)) await this.end(path);
    return attempt(testFilter);
  }

  async run(ids) {
    for (const path of pathsOf(ids)) {
      const failed = await (await this.load(path)).run(new Set(ids));
      if (failed !== undefined) return failed;
    }
    return undefined;
  }

  async load(path) {
    if (this.files.get(path)?.hasEnded === false) return this.files.get(path);
    const loaded = new Promise((resolve) => loading.set(path, resolve));
    const options = { config: 'mutation.config.mjs', runTestsByPath: true, _: [path], runInBand: true };
    const ended = runCLI({ ...options, silent: true }, [process.cwd()]).then(({ results }) => {
      throw new Error(results.testResults[0].failureMessage);
    });
    const file = await Promise.race([loaded, ended]);
    ended.catch(() => undefined);
    file.hasEnded = false;
    this.files.set(path, file);
    return file;
  }

  async end(path) {
    if (this.files.get(path)?.hasEnded === false) await this.files.get(path).run(new Set());
  }
}

/** Read by Stryker. */
export const strykerPlugins = [{ kind: 'TestRunner', name: 'loaded', injectableClass: Runner }];
