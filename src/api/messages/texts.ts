import type { RefusalKey, RefusalTexts } from "../../base/errors.ts";

/** One sentence for each refusal (spec 7, rule 2). A language that lacks one does not compile. */
export type Messages = { [K in RefusalKey]: (details: RefusalTexts[K]) => string };
