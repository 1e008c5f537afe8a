/** Spec 4.5: usage and quota take no parameters. Who may ask is in 5; their figures are in 2.3 and 2.4. */
import { expect, test } from "vitest";
import { startContractDaemon } from "../support/contract-daemon.ts";

test.each(["/web/usage", "/user/quota"])("GET %s takes no notice of parameters", async (path) => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const plain = await user.call("GET", path);
	expect(plain).toMatchObject({ http: 200, body: { status: "ok" } });
	for (const query of ["?", "?limit=abc", "?accountId=7", "?status=all&id=x"])
		expect(await user.call("GET", `${path}${query}`)).toEqual(plain);
});

test.each(["/web/usage", "/user/quota"])("GET %s changes nothing", async (path) => {
	await using daemon = await startContractDaemon();
	const user = await daemon.addUser();
	const answers = [await user.call("GET", path), await user.call("GET", path)];
	expect(answers[1]).toEqual(answers[0]);
	expect(daemon.sessions.list(user.account.id, { all: true, limit: 200 })).toEqual([]);
});
