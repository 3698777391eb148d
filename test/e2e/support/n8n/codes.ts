import type { World } from './world.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Creates a code and publishes it. */
export async function publishedCode(
  client: World['client'],
  name: string,
  targetUrl = 'https://example.com/',
) {
  const code = await client.qr.create({ name, mode: 'dynamic', contentType: 'url', content: { targetUrl } });
  return client.qr.publish(code.id);
}

/** Publishes a code, and scans it this often at these times. */
export async function scannedCode({ client, emulator }: World, name: string, scans: Record<number, number>) {
  const { clock } = emulator.control;
  const now = clock.now();
  const code = await publishedCode(client, name);
  for (const [time, count] of Object.entries(scans)) {
    clock.set(Number(time));
    for (let left = count; left > 0; left--) await fetch(code.publicUrl, { redirect: 'manual' });
  }
  clock.set(now);
  return code;
}

/** A time zone in which it is about noon, so that no day ends during a test, and the time at which its day began. */
export function today({ control: { clock } }: World['emulator']) {
  const hoursWest = new Date(clock.now()).getUTCHours() - 12;
  const timezone = `Etc/GMT${hoursWest < 0 ? '' : '+'}${hoursWest}`;
  return { timezone, midnight: clock.now() - (clock.now() % HOUR) - DAY / 2 };
}
