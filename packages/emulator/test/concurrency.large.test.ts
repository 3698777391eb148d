import { killCommands } from './support/command.ts';
import { repeatAfter } from './support/repeatAfter.ts';
import { removeTempFolders } from './support/tempFolder.ts';

afterEach(() => {
  killCommands();
  removeTempFolders();
});

test('creates one code for each of 400 keys despite SIGTERM in the middle', () =>
  repeatAfter('SIGTERM', 400));
