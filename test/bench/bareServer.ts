// Answers every request with one code's summary, in a process of its own, so that it takes no time of the client's.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SAMPLE_QR_CODE } from '@qr-service/core';

const body = JSON.stringify(SAMPLE_QR_CODE);
const headers = {
  'Content-Type': 'application/json',
  'X-RateLimit-Limit': '1000',
  'X-RateLimit-Remaining': '999',
  'X-RateLimit-Reset': '1',
};
const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
