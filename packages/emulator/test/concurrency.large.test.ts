import { killCommands } from './support/command.ts';
import { repeatAfter } from './support/repeatAfter.ts';
import { removeTempFolders } from './support/tempFolder.ts';

afterEach(() => {
  killCommands();
  removeTempFolders();
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s in the middle of the work, each of 400 keys still creates one code',
  (signal) => repeatAfter(signal, 400),
);
