/** Prints the seed of a run in which a test failed. */
export default class SeedReporter {
  onRunComplete(_contexts, { numFailedTests, numFailedTestSuites }) {
    if (numFailedTests + numFailedTestSuites > 0)
      console.error(`\nRandom tests used this seed; to repeat one: SEED=${process.env.SEED} npx jest <file>`);
  }
}
