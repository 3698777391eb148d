import { randomUUID } from 'node:crypto';
import { BRAND, headerNames } from '@qr-service/core/connector';
import { signWebhook } from '@qr-service/core';

/** Posts a delivery to a workflow's webhook, signed with a made-up secret. Returns the status. */
export async function postForged(address: string, webhookUrl: string): Promise<number> {
  const names = headerNames(BRAND.headerPrefix);
  const timestamp = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({
    id: `evt_forged_${randomUUID()}`,
    type: 'qr.created',
    workspaceId: 'ws_forged',
    occurredAt: new Date().toISOString(),
    data: {},
  });
  const response = await fetch(`http://${address}${new URL(webhookUrl).pathname}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      [names.timestamp]: String(timestamp),
      [names.signature]: signWebhook({ body, secret: 'a made-up secret', timestamp }),
      [names.delivery]: `dlv_forged_${randomUUID()}`,
      [names.event]: 'qr.created',
    },
    body,
  });
  return response.status;
}
