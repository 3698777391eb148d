import { startVirtualTime } from '../../../test/support/jest/virtualTime.ts';
import { moreText, takeRows } from '../src/tools/takeRows.ts';

/** Counts up, and how far it was read. */
function numbers(last: number) {
  const source = { read: 0, list: count() };
  async function* count(): AsyncGenerator<number, void, undefined> {
    for (let number = 1; number <= last; number++) {
      source.read = number;
      yield await Promise.resolve(number);
    }
  }
  return source;
}

test.each([
  ['none', 0, 0, ''],
  ['exactly the limit', 2, 0, ''],
  ['one more', 3, 1, 'There is 1 more. Advice.'],
  ['as many as are counted', 1000, 998, 'There are 998 more. Advice.'],
  ['more than are counted', 1001, 998, 'There are at least 998 more. Advice.'],
])('of %s', async (_name, last, more, text) => {
  const taken = await takeRows(numbers(last).list, 2, { report: () => undefined });
  expect(taken).toMatchObject({ rows: [1, 2].slice(0, last), more });
  expect(moreText(taken, 'Advice.')).toBe(text);
});

test('a search without a match ends after 45 seconds, reports how far it is and says that there may be more', async () => {
  const time = startVirtualTime();
  const source = numbers(Infinity);
  const reported: number[] = [];
  const matches = () => {
    time.advance(3);
    return false;
  };
  const taken = await takeRows(source.list, 2, { matches, report: (read) => reported.push(read) });
  jest.restoreAllMocks();
  expect(taken).toEqual({ rows: [], more: 0, isMinimum: true, read: 15_000 });
  expect(reported).toHaveLength(150);
  expect(moreText(taken, 'Advice.')).toBe('There may be more. Advice.');
});
