// By default, the slowest tests come first. By path, the unit tests do.
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
};
