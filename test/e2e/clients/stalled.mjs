/** A client that asks for `count` answers of `bytes` each and then reads no more. Run by node; lives until it is killed. */
import { WebSocket } from "ws";
import { runScenario, untilGo } from "./program.mjs";

await runScenario({
	stall: async ({ connectUrl, bytes, count }) => {
		const socket = new WebSocket(connectUrl, { perMessageDeflate: false });
		await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
		const answers = [];
		let onAnswer = () => {};
		socket.on("message", (data) => {
			answers.push(JSON.parse(data));
			onAnswer();
		});
		let lastId = 0;
		const send = (method, params, sessionId) =>
			socket.send(JSON.stringify({ id: ++lastId, method, params, sessionId }));
		const ask = async (method, params) => {
			send(method, params);
			for (;;) {
				const answer = answers.find(({ id }) => id === lastId);
				if (answer !== undefined) return answer.result;
				await new Promise((resolve) => {
					onAnswer = resolve;
				});
			}
		};
		const { targetId } = await ask("Target.createTarget", { url: "about:blank#stalled" });
		const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
		socket.pause();
		const expression = `globalThis.answered = (globalThis.answered ?? 0) + 1; "x".repeat(${bytes})`;
		const params = { expression, returnByValue: true };
		for (let i = 0; i < count; i++) send("Runtime.evaluate", params, sessionId);
		await untilGo();
		return {};
	},
});
