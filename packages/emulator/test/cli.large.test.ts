import { killCommands } from './support/command.ts';
import { stopReceivers } from './support/receiver.ts';
import { resumeAfter } from './support/resumeAfter.ts';
import { removeTempFolders } from './support/tempFolder.ts';

afterEach(async () => {
  killCommands();
  await stopReceivers();
  removeTempFolders();
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'resumes a pending delivery at the next start after %s',
  resumeAfter,
);
