import { globSync, statSync } from "node:fs"
import path from "node:path"

/**
 * Tells one state of files from another. They are looked at again and again, a millisecond for a hundred of them: watching misses files
 * that an editor saves by replacing them.
 */
export const stateOfFiles = (directory: string, pattern: string, exclude: ReadonlyArray<string> = []): string => {
  const times = globSync(pattern, { cwd: directory, exclude }).map(
    (file) => statSync(path.join(directory, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  )
  return `${times.length}-${times.reduce((newest, time) => Math.max(newest, time), 0)}`
}
