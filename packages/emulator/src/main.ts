import { main } from './command.ts';

// Keep working if the reader of the output stops reading, like `head`.
process.stdout.on('error', () => undefined);
await main(process.argv.slice(2));
