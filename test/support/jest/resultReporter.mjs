import { appendFileSync } from 'node:fs';

/** Appends the result of a run as a line of JSON to the file named by `TEST_RESULTS`. */
export default class ResultReporter {
  onRunComplete(_contexts, results) {
    const failed = results.testResults.flatMap(({ testFilePath, testExecError, testResults }) => [
      ...(testExecError === undefined ? [] : [`${testFilePath}: ${testExecError.message}`]),
      ...testResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${testFilePath}: ${fullName}`),
    ]);
    const line = { passed: results.numPassedTests, failed };
    appendFileSync(process.env.TEST_RESULTS, `${JSON.stringify(line)}\n`);
  }
}
