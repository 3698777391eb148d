import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { installTool } from '../../../../scripts/tools/install.ts';

/** A mail, as n8n's own library reads it. */
interface Mail {
  to: { text: string };
  subject: string;
  text: string;
  html: string;
  /** Embedded files are `related`. */
  attachments: { filename: string; contentType: string; related?: boolean; content: Buffer }[];
}

/** An SMTP server that keeps the mails. */
export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** A mail to this address is rejected, as one to a mailbox that doesn't exist. */
export const REJECTED = 'nobody@example.com';

/** Starts an SMTP server without TLS or sign-in on a free local port. */
export async function startMailServer() {
  let mails: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    converse(socket, (mail) => void mails.push(mail));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Returns the mails since the last call. */
    async take(): Promise<Mail[]> {
      const taken = mails;
      mails = [];
      return Promise.all(taken.map(parse));
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The part of SMTP (RFC 5321) that a client without extensions uses. */
function converse(socket: Socket, keep: (mail: string) => void): void {
  let input = '';
  let isData = false;
  const reply = (line: string) => socket.write(`${line}\r\n`);
  reply('220 localhost');
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    input += chunk;
    for (;;) {
      const end = isData ? '\r\n.\r\n' : '\r\n';
      const length = input.indexOf(end);
      if (length < 0) return;
      const text = input.slice(0, length);
      input = input.slice(length + end.length);
      if (isData) keep(text.replaceAll('\r\n..', '\r\n.'));
      const command = isData ? 'MESSAGE' : text.slice(0, 4).toUpperCase();
      isData = command === 'DATA';
      reply(responseTo(command, text));
      if (command === 'QUIT') socket.end();
    }
  });
}

function responseTo(command: string, line: string): string {
  if (command === 'DATA') return '354 End with a dot';
  if (command === 'QUIT') return '221 Bye';
  if (command === 'RCPT' && line.includes(REJECTED)) return '550 No such mailbox';
  return '250 OK';
}

/** Keeps `cid:` in the HTML, as sent. */
async function parse(source: string): Promise<Mail> {
  const { simpleParser } = createRequire(join(await installTool('n8n'), 'package.json'))('mailparser') as {
    simpleParser: (source: Buffer, options: object) => Promise<Mail>;
  };
  return simpleParser(Buffer.from(source, 'latin1'), { skipImageLinks: true });
}
