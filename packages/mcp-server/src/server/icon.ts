const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60"><rect width="60" height="60" rx="12" fill="#0f766e"/><path fill="none" stroke="#fff" stroke-width="4" d="M14 14h12v12H14zM34 14h12v12H34zM14 34h12v12H14z"/><path fill="#fff" d="M32 32h6v6h-6zM42 32h6v6h-6zM37 40h6v8h-6z"/></svg>';

/** The server's icon, which clients show next to its name. */
export const ICON = {
  src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
};
