import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import type { Env } from '../http/env.ts';

const TYPES: Record<string, string> = {
  'inspector.css': 'text/css; charset=utf-8',
  'inspector.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** `GET /assets/…`: the inspector's style, script and icon, from the package's `assets` folder. */
export function assetRoutes(): Hono<Env> {
  const routes = new Hono<Env>();
  for (const [name, type] of Object.entries(TYPES)) {
    const text = readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8');
    routes.get(`/${name}`, (c) => c.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'no-cache' }));
  }
  return routes;
}
