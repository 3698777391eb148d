/**
 * Stryker's test runner and, for it, Jest's environment: loads each test file once, then runs its tests for one mutant
 * after the other, as retries of Jest. What a mutant leaves behind in a module decides nothing: a failure counts if the
 * test then passes without the mutant; otherwise, and before a mutant counts as survived, the files are loaded anew.
 */
import { relative } from 'node:path';
import process from 'node:process';
import { runCLI } from 'jest';
import { TestEnvironment } from 'jest-environment-node';

/** What the instrumented code reads and counts. */
const context = {};
globalThis.__stryker__ = context;
/** Called with the environment of a test file, by path, once the file is loaded. */
const loading = new Map();

/** A loaded test file. */
export default class LoadedFile extends TestEnvironment {
  hasEnded = false;

  constructor(config, jest) {
    super(config, jest);
    this.global.__stryker__ = context;
    this.path = jest.testPath;
  }

  /** Runs these tests, until one fails. Returns that one, or undefined. Without tests, the file ends. */
  run(ids = new Set()) {
    return new Promise((finish) => {
      Object.assign(this, { ids, finish, failed: undefined });
      this.wake();
    });
  }

  async handleTestEvent(
    { name, test, describeBlock },
    { rootDescribeBlock: root, describeRetryOptions, unhandledErrors },
  ) {
    if (name === 'run_start') {
      this.tests = testsIn(root);
      for (const [index, each] of this.tests.entries()) each.id = `${relative('', this.path)}#${index}`;
      describeRetryOptions.set(root, { numRetries: 1e9 });
      await this.wait(() => loading.get(this.path)(this));
    }
    if (name === 'test_started') context.currentTestId = test.id;
    if (name === 'test_done') {
      context.currentTestId = undefined;
      if (test.errors.length > 0) this.fail(test.id, test.errors);
    }
    // Jest retries what failed.
    if (name === 'run_describe_finish' && describeBlock === root && this.ids.size > 0)
      this.tests[0].errors.push(['again']);
    if (name === 'describe_retry') await this.wait(() => this.finish(this.failed));
    if (name === 'run_finish') {
      // Jest doesn't retry after an error outside of tests.
      this.hasEnded = true;
      this.finish(this.failed ?? { id: this.tests[0].id, errors: unhandledErrors });
    }
  }

  async wait(say) {
    await new Promise((wake) => {
      this.wake = wake;
      say();
    });
    for (const test of this.tests) test.mode = this.ids.has(test.id) ? undefined : 'skip';
  }

  fail(id, errors) {
    this.failed ??= { id, errors };
    for (const other of this.tests) other.mode = 'skip';
  }
}

function testsIn(block) {
  return block.children.flatMap((child) => (child.type === 'test' ? child : testsIn(child)));
}

const pathOf = (id) => id.split('#')[0];
/** Instead of a failed test: mutated code ran so often that it would never end. */
const ENDLESS = 'endless';

class Runner {
  files = new Map();
  /** Tests that pass only once after their file is loaded. */
  once = new Set();

  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun() {
    const tests = [];
    for (const path of JSON.parse(process.env.MUTATION_TESTS)) {
      const file = await this.file(path);
      const failed = await this.run(file.tests.map(({ id }) => id));
      if (failed !== undefined) return { status: 'error', errorMessage: `${failed.id}: ${failed.errors}` };
      for (const { id, name, duration } of file.tests)
        tests.push({ id, name, timeSpentMs: duration ?? 0, status: 0 });
    }
    return { status: 'complete', tests, mutantCoverage: context.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const attempt = async (ids) => {
      const paths = new Set(ids.map(pathOf));
      // Without the mutant, which would otherwise stay in what is made while loading.
      for (const path of paths) await this.file(path);
      Object.assign(context, { activeMutant: activeMutant.id, hitCount: hitLimit && 0, hitLimit });
      const failed = await this.run(ids);
      const isEndless = context.hitCount > hitLimit;
      Object.assign(context, { activeMutant: undefined, hitCount: undefined });
      return isEndless ? ENDLESS : failed?.id;
    };
    let failed = await attempt(testFilter.filter((id) => !this.once.has(id)));
    const isProven = failed === ENDLESS || (failed !== undefined && (await this.run([failed])) === undefined);
    if (!isProven) {
      this.once.add(failed);
      for (const path of new Set(testFilter.map(pathOf))) await this.close(path);
      failed = await attempt(testFilter);
    }
    if (failed === ENDLESS) return { status: 'timeout' };
    const nrOfTests = testFilter.length;
    if (failed === undefined) return { status: 'survived', nrOfTests };
    return { status: 'killed', killedBy: [failed], failureMessage: '', nrOfTests };
  }

  /** Runs these tests, until one fails. Returns it, or undefined. */
  async run(ids) {
    for (const path of new Set(ids.map(pathOf))) {
      const failed = await (await this.file(path)).run(new Set(ids));
      if (failed !== undefined) return failed;
    }
    return undefined;
  }

  async close(path) {
    const file = this.files.get(path);
    this.files.delete(path);
    if (file?.hasEnded === false) await file.run();
  }

  async file(path) {
    const known = this.files.get(path);
    if (known !== undefined && !known.hasEnded) return known;
    const loaded = new Promise((resolve) => loading.set(`${process.cwd()}/${path}`, resolve));
    const options = {
      config: 'mutation.config.mjs',
      runTestsByPath: true,
      _: [path],
      runInBand: true,
      silent: true,
    };
    const ended = runCLI(options, [process.cwd()]).then(({ results }) => {
      throw new Error(results.testResults[0]?.failureMessage ?? `${path} can't be loaded.`);
    });
    const file = await Promise.race([loaded, ended]);
    ended.catch(() => undefined);
    this.files.set(path, file);
    return file;
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'loaded', injectableClass: Runner }];
