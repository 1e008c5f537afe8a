/** What the proxies of the tests are made of: programs, files, and certificates of a CA of this run. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a program is, also when sbin is not on the PATH; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
	const places = (process.env["PATH"] ?? "").split(":").concat("/usr/sbin", "/usr/local/sbin");
	return places.map((place) => join(place, name)).find((file) => existsSync(file));
}

export function write(folder: string, name: string, lines: readonly string[]): string {
	const file = join(folder, name);
	writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o644 });
	return file;
}

let made: { folder: string; ca: string; certificate: string; key: string } | undefined;

/** A CA of this run (PEM) and, as files, what it vouches for: 127.0.0.1 and proxy.test. */
export function certificates(): { ca: string; certificate: string; key: string } {
	if (made !== undefined) return made;
	const folder = mkdtempSync(join(tmpdir(), "bt-ca-"));
	const file = (name: string) => join(folder, name);
	const openssl = (...args: string[]) =>
		execFileSync(findProgram("openssl") ?? "openssl", args, { stdio: "ignore", cwd: folder });
	const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
	openssl(
		"req",
		"-x509",
		...newKey,
		"-keyout",
		"ca.key",
		"-out",
		"ca.crt",
		"-subj",
		"/CN=ca of a test",
		"-days",
		"2",
	);
	openssl("req", ...newKey, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=proxy.test");
	write(folder, "names", ["subjectAltName=DNS:proxy.test,IP:127.0.0.1"]);
	const signer = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"];
	openssl("x509", "-req", "-in", "server.csr", ...signer, "-out", "server.crt");
	made = {
		folder,
		ca: readFileSync(file("ca.crt"), "utf8"),
		certificate: file("server.crt"),
		key: file("server.key"),
	};
	return made;
}

export function removeCertificates(): void {
	if (made !== undefined) rmSync(made.folder, { recursive: true, force: true });
	made = undefined;
}
