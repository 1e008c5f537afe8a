/** Which clients hold a session right now. One lease is one attached client: a CDP socket or a live viewer. */

export interface Lease extends Disposable {
	readonly sessionId: string;
}

export class LeaseBook {
	readonly #counts = new Map<string, number>();
	readonly #onChange: (sessionId: string) => void;

	/** `onChange` hears of every lease that is taken or given back. */
	constructor(onChange: (sessionId: string) => void) {
		this.#onChange = onChange;
	}

	take(sessionId: string): Lease {
		this.#counts.set(sessionId, this.count(sessionId) + 1);
		this.#onChange(sessionId);
		let isHeld = true;
		return {
			sessionId,
			[Symbol.dispose]: () => {
				if (!isHeld) return;
				isHeld = false;
				const left = this.count(sessionId) - 1;
				if (left > 0) this.#counts.set(sessionId, left);
				else this.#counts.delete(sessionId);
				this.#onChange(sessionId);
			},
		};
	}

	count(sessionId: string): number {
		return this.#counts.get(sessionId) ?? 0;
	}

	/** The sessions that somebody holds. */
	held(): string[] {
		return [...this.#counts.keys()];
	}
}
