import TestSequencer from '@jest/test-sequencer';

const usesZapier = ({ path }) => /[\\/]test[\\/](?:zapier|middleboxes)[\\/]/.test(path);

/** Runs the tests of Zapier's engine last: it starts a domain, for which Node.js then follows every promise in the process. */
export default class ZapierLast extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => usesZapier(a) - usesZapier(b));
  }
}
