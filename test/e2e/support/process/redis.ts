import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atExit } from '../../../../scripts/process/atExit.ts';
import { freePort } from '../../../support/process/freePort.ts';
import { managedProcess, type ManagedProcess } from '../../../support/process/managedProcess.ts';
import { debianProgram } from './debianProgram.ts';

const run = promisify(execFile);

/** A Redis server on a free port. Its data survives a kill. It ends when this process exits. */
export interface Redis extends ManagedProcess {
  readonly port: number;
  /** Runs a Lua script that returns a list of strings. */
  evaluate(script: string): Promise<string[]>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** @throws Error when Redis isn't installed */
export async function startRedis(): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'qr-service-redis-'));
  const port = await freePort();
  const redis = managedProcess({
    name: 'Redis',
    command: debianProgram('redis-server'),
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--save',
      '',
    ],
    isReady: () => respondsToPing(port),
  });
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const unregister = atExit(removeFolder);
  await redis.start();
  return {
    ...redis,
    port,
    async evaluate(script) {
      const { stdout } = await run(debianProgram('redis-cli'), [
        '-e',
        '-p',
        String(port),
        'EVAL',
        script,
        '0',
      ]);
      return stdout.split('\n').filter((line) => line !== '');
    },
    async remove() {
      await redis.stop();
      unregister();
      removeFolder();
    },
  };
}

/** Redis doesn't respond with PONG while it is still loading its data. */
async function respondsToPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    return reply.toString().startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
