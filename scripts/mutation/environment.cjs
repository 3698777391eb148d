// Stryker runs all tests that reach a change. In this environment, the first that fails ends the change's run.
const { TestEnvironment } = require('jest-environment-node');

const change = () => process.env.__STRYKER_ACTIVE_MUTANT__;
/** The last change that a test noticed. */
let noticed;

module.exports = class extends TestEnvironment {
  handleTestEvent({ name, describeBlock, test }) {
    if (name === 'test_done' && test.errors.length > 0) noticed = change();
    const next = name === 'run_describe_start' ? describeBlock : name === 'test_start' ? test : undefined;
    if (next !== undefined && noticed !== undefined && noticed === change()) next.mode = 'skip';
  }
};
