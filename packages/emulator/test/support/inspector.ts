import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Emulator } from 'qr-service-emulator';

/** A page as it was served. */
interface Page {
  status: number;
  headers: Headers;
  html: string;
  /** Its text, with whitespace as a reader sees it. */
  text: string;
}

type Fields = Record<string, string>;

/** Opens the inspector of an emulator without JavaScript: links and forms. */
export function openInspector({ url }: Emulator) {
  return {
    get: async (path: string, headers: Fields = {}) => read(await fetch(url + path, { headers })),
    /** Submits a form as a browser does, and follows the redirect. */
    post: async (
      path: string,
      fields: Fields = {},
      headers: Fields = { Origin: url, 'Sec-Fetch-Site': 'same-origin' },
    ) => read(await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(fields) })),
  };
}

/** Requests something with headers that `fetch` doesn't allow to set. */
export function readAs(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, text: body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

async function read(response: Response): Promise<Page> {
  const html = await response.text();
  return { status: response.status, headers: response.headers, html, text: textOf(html) };
}

function textOf(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html
    .replaceAll(/<head>.*?<\/head>|<[^>]*>/gs, ' ')
    .replaceAll(/&(\w+|#39);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/\s+/g, ' ');
}
