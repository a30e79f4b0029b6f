import { createHash } from "node:crypto"
import { globSync, statSync } from "node:fs"
import path from "node:path"

/**
 * A hash of names and times, to poll at a millisecond per hundred files. Watching misses files that an editor saves by
 * replacing them.
 */
export const stateOfFiles = (directory: string, pattern: string, exclude: ReadonlyArray<string> = []): string => {
  const files = globSync(pattern, { cwd: directory, exclude }).map((file) => {
    const time = statSync(path.join(directory, file), { throwIfNoEntry: false })?.mtimeMs
    return `${file} ${time}`
  })
  return createHash("sha256").update(files.toSorted().join("\n")).digest("hex").slice(0, 16)
}
