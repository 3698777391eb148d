import type { CommandDefinition } from '../support/command.ts';

/** `resend <delivery>`: sends a delivery again. */
export const RESEND: CommandDefinition = {
  name: 'resend',
  args: ['<delivery>'],
  about: 'redeliver a delivery, given its ID',
  options: {
    'new-id': { help: 'Send it with a new delivery ID instead of its own.' },
  },
  help: `Redelivers the same event to the same subscription, with a fresh signature. With the same delivery ID,
a receiver that deduplicates ignores it. The deliveries' IDs are in the log, in tail and in the inspector.

  qr-service-emulator resend dlv_V1StGXR8Z5jdHi6B
  qr-service-emulator resend dlv_V1StGXR8Z5jdHi6B --new-id`,
  async run({ words: [delivery = ''], values, emulator, print }) {
    const newDeliveryId = values['new-id'] === true;
    const path = `/deliveries/${encodeURIComponent(delivery)}/redeliver`;
    const queued = (await emulator.call('POST', path, { newDeliveryId })) as { id: string };
    print(`${queued.id}  queued for redelivery`, queued);
  },
};
