import { bannerOf, runCommand } from './command.ts';
import { startReceiver } from './receiver.ts';
import { tempFile } from './tempFolder.ts';
import { until } from '../../../../test/support/jest/until.ts';

const HOST = 'hooks.example.com';

/** Stops the command while a delivery is in flight, and expects it to be sent again after the next start. */
export async function resumeAfter(signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  let isReady = false;
  const { address, received } = await startReceiver((nth) => (isReady ? 204 : nth === 0 ? null : 503));
  const args = ['--port', '0', '--db', tempFile('emulator.db'), '--connect-to', `${HOST}=${address}`];
  const first = runCommand(args);
  const { url, apiKey } = await bannerOf(first);
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify(body),
    });
  await post('/v1/public-api/webhooks', { url: `https://${HOST}/in`, eventTypes: ['export.ready'] });
  await post('/_emulator/emit', ['export.ready']);
  await until(() => received.length > 0);
  first.child.kill(signal);
  expect((await first.ended).code).toBe(0);

  isReady = true;
  await runCommand(args).printed('export.ready → 204');
  const ids = received.map(({ headers }) => headers['x-service-delivery']);
  expect(ids).toEqual([ids[0], ids[0]]);
}
