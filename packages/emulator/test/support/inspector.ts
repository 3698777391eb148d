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

/** The inspector without JavaScript: links and forms. */
interface InspectorClient {
  get: (path: string, headers?: Record<string, string>) => Promise<Page>;
  /** Submits a form as a browser does, and follows the redirect. */
  post: (path: string, fields?: Record<string, string>, headers?: Record<string, string>) => Promise<Page>;
}

/** Opens the inspector of an emulator. */
export function openInspector({ url }: Emulator): InspectorClient {
  return {
    get: async (path, headers = {}) => read(await fetch(url + path, { headers })),
    post: async (path, fields = {}, headers = { Origin: url, 'Sec-Fetch-Site': 'same-origin' }) =>
      read(await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(fields) })),
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
