import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atExit } from './atExit.ts';
import { freePort } from './freePort.ts';
import { managedProcess, type ManagedProcess } from './managedProcess.ts';
import { debianProgram } from './debianProgram.ts';

const run = promisify(execFile);

/** A Redis server on a free port, which keeps what it holds over a kill; ends with this process at the latest. */
export interface Redis extends ManagedProcess {
  readonly port: number;
  /** Runs a Lua script that returns a list of texts. */
  evaluate(script: string): Promise<string[]>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** @throws Error with what to install where there is no Redis */
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

/** It does not while it still loads what it holds. */
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
