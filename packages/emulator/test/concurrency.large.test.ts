import { killCommands } from './support/command.ts';
import { repeatAfter } from './support/repeatAfter.ts';
import { removeTempFolders } from './support/tempFolder.ts';

afterEach(() => {
  killCommands();
  removeTempFolders();
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'creates one code for each of 400 keys despite %s in the middle',
  (signal) => repeatAfter(signal, 400),
);
