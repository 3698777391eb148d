/** Why a page can't be shown or a form can't be obeyed, as a sentence for the person at the page. */
export class PageError extends Error {
  override readonly name = 'Problem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
