/** What is wrong between keys: each check runs only where the values of its section are right by themselves. */
import { Value } from "@sinclair/typebox/value";
import type { Table } from "./defaults.ts";
import { type Folders, isInside, longestRunDir } from "./folders.ts";
import type { Problem } from "./problems.ts";
import { configSchema, type RawConfig } from "./schema.ts";

const nobody = 65_534;
const lastUid = 2 ** 32 - 2;

function tlsProblems({ tls_cert, tls_key }: RawConfig["server"]): Problem[] {
	if ((tls_cert === undefined) === (tls_key === undefined)) return [];
	const [given, absent] = tls_cert === undefined ? ["tls_key", "tls_cert"] : ["tls_cert", "tls_key"];
	return [{ pointer: `/server/${given}`, sentence: `needs server.${absent} beside it` }];
}

function folderProblems({ dataDir, runDir }: Folders): Problem[] {
	const pointer = "/server/run_dir";
	const length = Buffer.byteLength(runDir);
	const problems: Problem[] = [];
	if (length > longestRunDir) {
		problems.push({
			pointer,
			sentence: `must be at most ${longestRunDir} bytes long, because the path of a Unix socket in it may have no more than 107; "${runDir}" has ${length}`,
		});
	}
	if (isInside(dataDir, runDir)) {
		problems.push({
			pointer,
			sentence: "must not hold server.data_dir: what is in it does not outlast a restart",
		});
	}
	return problems;
}

function uidProblems({ first_uid, uid_count }: RawConfig["sessions"]): Problem[] {
	const last = first_uid + uid_count - 1;
	const pointer = "/sessions/uid_count";
	if (last > lastUid) return [{ pointer, sentence: `goes beyond the last user id, ${lastUid}` }];
	if (first_uid <= nobody + 1 && nobody <= last) {
		return [
			{
				pointer,
				sentence: `makes a range (${first_uid} to ${last}) with ${nobody} and ${nobody + 1}, which belong to nobody`,
			},
		];
	}
	return [];
}

function repeated(values: readonly string[], pointerOf: (index: number) => string): Problem[] {
	return values.flatMap((value, index) =>
		values.indexOf(value) === index
			? []
			: [
					{
						pointer: pointerOf(index),
						sentence: `must be unique: ${JSON.stringify(value)} stands before already`,
					},
				],
	);
}

function repeatedIds(section: "images" | "plans", tables: readonly { id: string }[]): Problem[] {
	const ids = tables.map(({ id }) => id);
	return repeated(ids, (index) => `/${section}/${index}/id`);
}

function cityProblems(locations: RawConfig["locations"]): Problem[] {
	return locations.flatMap(({ code, cities, default: byDefault }, index) => {
		const pointer = `/locations/${index}`;
		const codes = cities.map((city) => city.code);
		const problems = repeated(codes, (cityIndex) => `${pointer}/cities/${cityIndex}/code`);
		for (const [cityIndex, cityCode] of codes.entries()) {
			if (cityCode.startsWith(`${code}-`)) continue;
			const sentence = `must begin with its country, "${code}-", not ${JSON.stringify(cityCode)}`;
			problems.push({ pointer: `${pointer}/cities/${cityIndex}/code`, sentence });
		}
		if (byDefault !== undefined && !codes.includes(byDefault)) {
			problems.push({
				pointer: `${pointer}/default`,
				sentence: `must be one of its cities: ${codes.join(", ")}`,
			});
		}
		return problems;
	});
}

function locationProblems(locations: RawConfig["locations"]): Problem[] {
	const countries = locations.map(({ code }) => code);
	return [...repeated(countries, (index) => `/locations/${index}/code`), ...cityProblems(locations)];
}

const sections = configSchema.properties;

export function relationProblems(raw: Table, folders: Folders | undefined): Problem[] {
	const { server, sessions, images, plans, locations } = raw;
	const problems = folders === undefined ? [] : folderProblems(folders);
	if (Value.Check(sections.server, server)) problems.push(...tlsProblems(server));
	if (Value.Check(sections.sessions, sessions)) problems.push(...uidProblems(sessions));
	if (Value.Check(sections.images, images)) problems.push(...repeatedIds("images", images));
	if (Value.Check(sections.plans, plans)) problems.push(...repeatedIds("plans", plans));
	if (Value.Check(sections.locations, locations)) problems.push(...locationProblems(locations));
	return problems;
}
