import type { Page } from '../../../../scripts/tools/chromium.ts';

const ENTRIES = '[data-test-id="rlc-item"]';
const LAST_ENTRY = `[...document.querySelectorAll('${ENTRIES}')].at(-1)`;
const SEARCH = '[data-test-id="rlc-search"]';

/** A resource locator's list in the editor. */
export interface Picker {
  /** Opens the list. */
  open(): Promise<void>;
  /** Replaces the text in the list's search field, key by key. */
  search(text: string): Promise<void>;
  /** Texts of the loaded entries. */
  entries(): Promise<string[]>;
  /** Whether the last entry is too long for the list. */
  isLastCut(): Promise<boolean>;
  /** Scrolls to the last entry. */
  scrollToEnd(): Promise<void>;
  /** Clicks the last entry. */
  clickLast(): Promise<void>;
  /** Presses the keys that choose the last entry. */
  enterLast(): Promise<void>;
  /** The text in the parameter's field. */
  chosen(): Promise<string>;
  /** What the list shows in place of entries if they can't be loaded. */
  error(): Promise<string>;
}

/** The list of a parameter in the open panel. */
export function pickerOf(page: Page, parameter: string): Picker {
  const field = page.locator(`[data-test-id="resource-locator-${parameter}"]`);
  const input = field.locator('[data-test-id="rlc-input-container"] input');
  const entries = page.locator(ENTRIES);
  return {
    async open() {
      await input.click();
      await page.locator(SEARCH).waitFor();
    },
    async search(text) {
      await page.locator(SEARCH).click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    entries: () => entries.allInnerTexts(),
    isLastCut: () =>
      page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(${LAST_ENTRY}.querySelector('span'))`,
      ),
    scrollToEnd: () => page.evaluate(`${LAST_ENTRY}.scrollIntoView()`),
    clickLast: () => entries.last().click(),
    async enterLast() {
      await page.locator(SEARCH).click();
      for (let left = await entries.count(); left > 0; left--) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
    chosen: () => input.inputValue(),
    async error() {
      const message = page.locator('[data-test-id="rlc-error-container"]');
      await message.waitFor();
      return (await message.allInnerTexts()).join('\n');
    },
  };
}
