import type { Page } from '../../../scripts/tools/chromium.ts';

/**
 * Finds texts whose contrast with the background is below 4.5 (WCAG 2.2, 1.4.3), with that contrast. Colors are
 * converted by drawing them on a canvas, as their notation varies.
 */
export function lowContrasts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const rgba = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data;
    };
    const luminance = (color) => {
      const [r, g, b] = [...rgba(color)].slice(0, 3).map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if (rgba(color)[3] === 255) return color;
      }
      return 'white';
    };
    const found = new Set();
    for (const element of document.body.querySelectorAll('*')) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim() !== '');
      if (!hasText || !element.checkVisibility()) continue;
      const [text, ground] = [getComputedStyle(element).color, behind(element)].map(luminance);
      const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
      if (ratio < 4.5) found.add(element.className + ' ' + element.textContent.trim().slice(0, 40) + ': ' + ratio.toFixed(2));
    }
    return [...found];
  })()`);
}

/** Finds links, buttons and fields without an accessible name. */
export function namelessControls(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const named = (element) =>
      element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length > 0;
    return [...document.querySelectorAll('a, button, summary, input:not([type=hidden]), select, textarea')]
      .filter((element) => !(/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) ? element.labels.length > 0 : named(element)))
      .map((element) => element.outerHTML.slice(0, 120));
  })()`);
}
