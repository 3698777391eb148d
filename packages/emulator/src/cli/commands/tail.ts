import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { FeedEntry, FeedPlace, FeedStart } from '../../control/feed.ts';
import { CONTROL_PATH } from '../../http/control/index.ts';
import { CommandError, type CommandDefinition } from '../support/command.ts';
import { noAnswer, readResponse } from '../support/controlClient.ts';

/** Milliseconds between attempts to reconnect. */
const RECONNECT_MS = 500;

/** `tail`: prints what happens, live. */
export const TAIL: CommandDefinition = {
  name: 'tail',
  args: [],
  about: 'print each request and delivery, live',
  help: `Prints one line for each request and each attempt of a delivery from now on, with times in UTC. When
the emulator restarts, it reconnects and prints what it missed. Ctrl-C ends it.

  qr-service-emulator tail
  qr-service-emulator tail --json | jq 'select(.status >= 400)'

With --json, each line is an object: kind is request or delivery, at is milliseconds since the epoch.`,
  async run({ emulator: { url }, print }) {
    const ended = new AbortController();
    const { signal } = ended;
    const end = () => ended.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    // The reader of the output has closed it, like `head`.
    process.stdout.once('error', end);
    const place: FeedPlace = {};
    const connection = { isFirst: true };
    const isEnded = () => signal.aborted;
    while (!isEnded()) {
      try {
        for await (const entry of readFeed(url, place, signal)) {
          if (entry.kind === 'start') {
            if (!connection.isFirst) notice(`Connected to ${url} again.`);
            connection.isFirst = false;
          } else await printEntry(entry, place, print, signal);
          Object.assign(place, { run: entry.run, after: entry.seq });
        }
        if (!isEnded()) notice(`The emulator at ${url} has stopped. Waiting for it to come back.`);
      } catch (error) {
        if (isEnded()) break;
        // After the first connection, it is only restarting.
        if (connection.isFirst || !(error instanceof CommandError)) throw error;
      }
      await wait(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
    process.stdout.removeListener('error', end);
  },
};

async function printEntry(
  entry: FeedEntry,
  place: FeedPlace,
  print: (line: string, json: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { line, run, seq, ...json } = entry;
  const missed = seq - 1 - (run === place.run ? (place.after ?? 0) : 0);
  if (missed > 0) notice(`${missed} lines were missed.`);
  print(`${new Date(entry.at).toISOString().slice(11, 23)}  ${line}`, json);
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal });
}

/**
 * Reads the feed until the connection ends.
 * @throws CommandError when no emulator responds
 */
async function* readFeed(
  url: string,
  { run, after }: FeedPlace,
  signal: AbortSignal,
): AsyncGenerator<FeedStart | FeedEntry> {
  const query = run === undefined ? '' : `?run=${encodeURIComponent(run)}&after=${String(after)}`;
  // Not fetch, which ends a response that is silent for five minutes.
  const request = http.get(`${url}${CONTROL_PATH}/feed${query}`, { signal, agent: false });
  let response: http.IncomingMessage;
  try {
    [response] = (await once(request, 'response')) as [http.IncomingMessage];
  } catch (error) {
    throw noAnswer(url, error);
  }
  if (response.headers['content-type'] !== 'application/x-ndjson') {
    readResponse(url, response.statusCode ?? 0, await text(response));
    return;
  }
  request.on('error', () => undefined);
  try {
    for await (const line of createInterface({ input: response }))
      if (line.endsWith('}')) yield JSON.parse(line) as FeedStart | FeedEntry;
  } catch (error) {
    // The connection is cut when the emulator stops.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET' && !signal.aborted) throw error;
  }
}

function notice(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
