import { trickle, type RequestHandler } from './faultyService.ts';

/** An error response that echoes the request's headers: a megabyte of them, with control characters. */
export const echo: RequestHandler = ({ headers }, response) => {
  const echoed = `${JSON.stringify(headers)} \u0007\u001b[31m\u202e`;
  const body = {
    message: `${'a'.repeat(990)}${echoed}${echoed.repeat(1000)}`,
    code: echoed.repeat(100),
    requestId: echoed.repeat(100),
    details: { [echoed]: echoed, list: Array.from({ length: 1000 }, () => echoed) },
  };
  response.writeHead(422, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Headers that never end. */
const slowHeaders: RequestHandler = ({ socket }) => {
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: a');
  const timer = setInterval(() => socket.write('a'), 5);
  socket.on('close', () => clearInterval(timer));
};

/** Slow responses, by the part that never ends. */
export const SLOW_RESPONSES: [what: string, handler: RequestHandler][] = [
  ['a body that trickles', trickle],
  ['a body that stalls', (_request, response) => response.writeHead(200).write('{')],
  ['headers that trickle', slowHeaders],
];
