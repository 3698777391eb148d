// Uses each entry point from CommonJS, against a server that only knows one code.
'use strict';
const { once } = require('node:events');
const { existsSync } = require('node:fs');
const { createServer } = require('node:http');
const { QrServiceClient, isApiError } = require('@qr-service/core');
const { SAMPLE_QR_CODE, describeError } = require('@qr-service/core/connector');
const { sampleEvent, signWebhook, verifyWebhook } = require('@qr-service/core/webhook');

async function main() {
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

  const openapi = existsSync(require.resolve('@qr-service/core/openapi.yaml'));
  console.log(JSON.stringify({ name, failure, advice, event: event.type, openapi }));
}

void main();
