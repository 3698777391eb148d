import { BoundedMap } from './BoundedMap.ts';
import { Session } from './Session.ts';

/** Sessions whose state is kept. */
const MAX_SESSIONS = 200;

/** The sessions of a process by their IDs. Stateless HTTP asks for the same one with each request. */
export class Sessions {
  readonly #sessions = new BoundedMap<string, Session>(MAX_SESSIONS);

  /** The session with this ID, new if there is none. */
  get(id: string): Session {
    const session = this.#sessions.get(id) ?? new Session(id);
    this.#sessions.set(id, session);
    return session;
  }
}
