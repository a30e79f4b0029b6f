import { namePlatforms } from "../../../domain/plain/platforms.ts"
import type { Platform } from "../../../domain/platform.ts"

/** A part, a file or the group that the copy lacks. */
interface CopyWarning {
  readonly path: ReadonlyArray<string | number>
}

const names = new Intl.ListFormat("en", { type: "conjunction" })

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

export const copiedWords = (warnings: ReadonlyArray<CopyWarning>, unconnected: ReadonlyArray<Platform>): string => {
  const parts = warnings.filter(({ path }) => path.length === 1 && path[0] === "thread").length
  const files = warnings.filter(({ path }) => path.includes("media")).length
  const lacks = [
    ...counted(parts, "part whose only files are gone", "parts whose only files are gone"),
    ...counted(files, "file that is gone", "files that are gone"),
    ...(warnings.some(({ path }) => path[0] === "group_id") ? ["its group, which is full"] : []),
    ...(unconnected.length > 0 ? [`${namePlatforms(unconnected)}, not connected here`] : [])
  ]
  return lacks.length === 0 ? "This is the copy, a draft" : `This is the copy, a draft without ${names.format(lacks)}`
}
