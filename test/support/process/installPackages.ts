import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { root } from "./program.ts"

/**
 * Installs the packages of a folder that has its own lock file, unless they are installed. A process that needs them at
 * the same time waits.
 */
export const installPackages = async (folder: string): Promise<void> => {
  const installing = promisify(execFile)(process.execPath, [path.join(root, ".bin/install.mjs"), folder])
  // Says why a first run takes longer.
  installing.child.stderr?.pipe(process.stderr)
  await installing
}

/** Compiles a folder with the packages of its own lock file; what the compiler prints, or its error. */
export const compileFolder = async (folder: string): Promise<unknown> => {
  await installPackages(folder)
  const compiler = path.join(root, "node_modules/typescript/bin/tsc")
  return promisify(execFile)(process.execPath, [compiler, "-p", path.join(root, folder)]).catch(
    (error: unknown) => error
  )
}
