import { newPassword } from "../accounts/password.ts";
import { OperatorError } from "../base/errors.ts";

export type PasswordInput = {
	password: string;
	/** Then the operator has to be shown it, once. */
	generated: boolean;
};

/** The first line of standard input with `--password-stdin`, else a new password. */
export async function passwordFrom(options: { passwordStdin?: boolean }): Promise<PasswordInput> {
	if (!options.passwordStdin) return { password: newPassword(), generated: true };
	const password = await firstLine(process.stdin);
	if (password === "") throw new OperatorError("no password came in on standard input");
	return { password, generated: false };
}

async function firstLine(input: AsyncIterable<string | Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of input) {
		const bytes = Buffer.from(chunk);
		chunks.push(bytes);
		if (bytes.includes("\n")) break;
	}
	const [line = ""] = Buffer.concat(chunks).toString("utf8").split("\n");
	return line.replace(/\r$/, "");
}
