// Verifies a delivery with the installed core, as its users do.
import assert from 'node:assert/strict';
import { sampleEvent, signWebhook, verifyWebhook } from '@qr-service/core/webhook';

const body = JSON.stringify(sampleEvent('qr.published'));
const timestamp = Math.floor(Date.now() / 1000);
const headers = { 'x-service-signature': signWebhook({ body, secret: 'secret', timestamp }) };
assert.equal(verifyWebhook({ rawBody: body, headers, secret: 'secret' }).event.type, 'qr.published');
