// Uses each entry point from ES modules, against a server that only knows one code.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { QrServiceClient, isApiError } from '@qr-service/core';
import { SAMPLE_QR_CODE, describeError } from '@qr-service/core/connector';
import { sampleEvent, signWebhook, verifyWebhook } from '@qr-service/core/webhook';

const server = createServer((request, response) => {
  const isKnown = request.url.endsWith('/qr/qr_1');
  response.writeHead(isKnown ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(isKnown ? SAMPLE_QR_CODE : { code: 'not_found', message: 'No such code.' }));
});
await once(server.listen(0, '127.0.0.1'), 'listening');

const baseUrl = `http://127.0.0.1:${server.address().port}`;
const client = new QrServiceClient({ baseUrl, apiKey: 'key' });
const { name } = await client.qr.get('qr_1');
const error = await client.qr.get('qr_2').catch((thrown) => thrown);
const failure = isApiError(error) && error.code;
const advice = describeError(error).description !== '';
server.closeAllConnections();
server.close();

const rawBody = JSON.stringify(sampleEvent('qr.created'));
const timestamp = Math.floor(Date.now() / 1000);
const headers = { 'X-Service-Signature': signWebhook({ body: rawBody, secret: 'secret', timestamp }) };
const { event } = verifyWebhook({ rawBody, headers, secret: 'secret' });

const openapi = existsSync(fileURLToPath(import.meta.resolve('@qr-service/core/openapi.yaml')));
console.log(JSON.stringify({ name, failure, advice, event: event.type, openapi }));
