import type { PollTrigger } from '../engines/n8n/index.ts';

const PHONES = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
];

/** Opens short links as phones do, then returns the scans that the polling trigger finds. */
export async function scanAndPoll(
  trigger: PollTrigger,
  publicUrls: readonly string[],
): Promise<Record<string, unknown>[]> {
  for (const [index, publicUrl] of publicUrls.entries())
    for (const phone of PHONES.slice(0, 1 + (index % PHONES.length)))
      await fetch(publicUrl, { redirect: 'manual', headers: { 'User-Agent': phone } });
  const { items } = await trigger.tick();
  return items.map((item) => item.json);
}
