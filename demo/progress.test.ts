import { startProgress } from './progress.ts';
import { toFrames, type OutputEvent } from '../scripts/pictures/recording.ts';

const { isTTY } = process.stdout;
afterEach(() => {
  jest.restoreAllMocks();
  process.stdout.isTTY = isTTY;
});

test('a terminal shows all steps at the end, and no bar', async () => {
  const events: OutputEvent[] = [];
  process.stdout.isTTY = true;
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    events.push({ at: 0, text: String(text) });
    return true;
  });
  const progress = startProgress(3, () => Promise.resolve(0));
  for (const label of ['One', 'Two', 'Three']) await progress.step(label, 1, () => Promise.resolve());
  progress.end();
  progress.end();
  expect(toFrames(events, 100).at(-1)?.rows).toEqual(['  ✓ One', '  ✓ Two', '  ✓ Three']);
});
