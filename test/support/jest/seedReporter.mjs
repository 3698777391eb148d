/** Prints the seed when a test fails. */
export default class SeedReporter {
  onRunComplete(_contexts, { numFailedTests, numFailedTestSuites }) {
    if (numFailedTests + numFailedTestSuites > 0)
      console.error(`\nRandom tests used this seed; to repeat one: SEED=${process.env.SEED} npx jest <file>`);
  }
}
