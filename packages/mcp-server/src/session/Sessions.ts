import { BoundedMap } from './BoundedMap.ts';
import { noChanges, Session } from './Session.ts';

/** Sessions whose state is kept. */
const MAX_SESSIONS = 200;

/** The sessions of a process by their IDs. Stateless HTTP asks for the same one with each request. */
export class Sessions {
  readonly #sessions = new BoundedMap<string, Session>(MAX_SESSIONS);
  readonly #changes = noChanges();

  /** The session with this ID, new if there is none. */
  get(id: string): Session {
    const session = this.#sessions.get(id) ?? new Session(id, this.#changes);
    this.#sessions.set(id, session);
    return session;
  }
}
