import type { WireHeaders } from '../wire/headers.ts';
import { WebhookVerificationError } from './WebhookVerificationError.ts';

/**
 * A delivery's header by name: own keys only, any case, with or without the `Http-` that Zapier puts in
 * front. An array counts only with one entry; two spellings that disagree are refused.
 * @throws WebhookVerificationError `malformed_header`
 */
export function deliveryHeader(headers: WireHeaders, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const values = new Set<string>();
  for (const [key, value] of Object.entries(headers)) {
    const lower = key.toLowerCase();
    if (lower !== wanted && lower !== `http-${wanted}`) continue;
    if (value === undefined) continue;
    const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (typeof single !== 'string')
      throw new WebhookVerificationError(
        'malformed_header',
        `The delivery's header ${name} has no single value.`,
      );
    values.add(single);
  }
  if (values.size > 1)
    throw new WebhookVerificationError('malformed_header', `The delivery's header ${name} has two values.`);
  return [...values][0];
}
