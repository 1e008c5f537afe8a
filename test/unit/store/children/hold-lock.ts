/** Takes the lock of the data_dir in argv, says so on stdout and keeps it until it is killed. */
import { lockDataDir } from "../../../../src/store/data-dir-lock.ts";

const lock = lockDataDir(process.argv[2] ?? "");
process.stdout.write("held\n");
setInterval(() => lock, 60_000);
