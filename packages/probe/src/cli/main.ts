/** The command line. */
import process from 'node:process';
import packageJson from '../../package.json' with { type: 'json' };

process.stdout.write(`${packageJson.version}\n`);
