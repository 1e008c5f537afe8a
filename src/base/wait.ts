/** Waiting that can be called off: every wait takes an AbortSignal and rejects with the signal's reason. */

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	if (signal?.aborted) {
		reject(signal.reason);
		return promise;
	}
	const onAbort = () => {
		clearTimeout(timer);
		reject(signal?.reason);
	};
	const timer = setTimeout(() => {
		signal?.removeEventListener("abort", onAbort);
		resolve();
	}, ms);
	signal?.addEventListener("abort", onAbort, { once: true });
	return promise;
}

/** Resolves (never rejects) when the signal aborts; at once when it already has. */
export function aborted(signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	if (signal.aborted) resolve();
	else signal.addEventListener("abort", () => resolve(), { once: true });
	return promise;
}

/** What `work` answers, or a rejection with the signal's reason when that comes first. `work` itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	const { promise, resolve, reject } = Promise.withResolvers<T>();
	const onAbort = () => reject(signal.reason);
	if (signal.aborted) onAbort();
	else signal.addEventListener("abort", onAbort, { once: true });
	work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
	return promise;
}
