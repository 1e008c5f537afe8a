/** "Did you mean": which known word a mistyped one is closest to. */

function editDistance(from: string, to: string): number {
	let before: number[] = [];
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i += 1) {
		const next = [i];
		for (let j = 1; j <= to.length; j += 1) {
			const isSame = from[i - 1] === to[j - 1];
			const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
			next[j] = Math.min(
				(row[j] ?? 0) + 1,
				(next[j - 1] ?? 0) + 1,
				(row[j - 1] ?? 0) + (isSame ? 0 : 1),
				isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		before = row;
		row = next;
	}
	return row[to.length] ?? 0;
}

function plain(word: string): string {
	return word.toLowerCase().replaceAll(/[-_]/g, "");
}

/** The candidate that differs in at most a third of the word's letters; case, "-" and "_" do not count. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
	const limit = Math.max(1, Math.floor(word.length / 3));
	const ranked = candidates
		.map((candidate) => ({ candidate, distance: editDistance(plain(word), plain(candidate)) }))
		.filter(({ distance }) => distance <= limit)
		.sort((a, b) => a.distance - b.distance);
	return ranked[0]?.candidate;
}
