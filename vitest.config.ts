import { defineConfig } from "vitest/config";

export default defineConfig({
	define: { BARREL_VERSION: JSON.stringify("0.0.0-test") },
	test: {
		reporters: ["default"],
		// Under Bun, vitest's pool of processes does not start.
		pool: "threads",
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["test/unit/**/*.test.ts", "test/contract/**/*.test.ts"],
					testTimeout: 10_000,
				},
			},
			{
				extends: true,
				// A browser and a daemon at a time: two cores have enough to do with them.
				test: {
					name: "e2e",
					include: ["test/integration/**/*.test.ts", "test/e2e/**/*.test.ts"],
					globalSetup: ["test/support/global-setup.ts"],
					fileParallelism: false,
					testTimeout: 60_000,
					hookTimeout: 60_000,
				},
			},
		],
	},
});
