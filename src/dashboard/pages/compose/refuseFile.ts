import { nameFileKind, typeByName } from "../../../domain/plain/fileKinds.ts"
import { maxImageBytes, maxVideoBytes, mediaTypes } from "../../../domain/plain/limits.ts"

const types: ReadonlyArray<string> = mediaTypes

/** In decimal units, as file managers show them. */
const formatSize = (bytes: number): string =>
  bytes >= 1e9 ? `${Math.ceil(bytes / 1e8) / 10} GB` : `${Math.ceil(bytes / 1e6)} MB`

/** The reason to refuse a file before its upload. Undefined if only the service can decide. */
export const refuseFile = ({ name, size, type: told }: Pick<File, "name" | "size" | "type">): string | undefined => {
  // Browsers leave the type empty if they do not know it.
  const type = told === "" ? typeByName(name) : told
  if (type !== "" && !types.includes(type)) {
    const kind = nameFileKind(type)
    const what = kind === undefined ? "This can’t be posted." : `This is ${kind}, which can’t be posted.`
    return `${what} Pictures can be JPEG, PNG, WebP or GIF files, videos MP4, MOV or WebM files.${type.startsWith("video/") ? " Export it as MP4." : ""}`
  }
  if (size === 0) return "This file is empty."
  const [kind, most] = type.startsWith("image/") ? ["picture", maxImageBytes] : ["video", maxVideoBytes]
  return size > most
    ? `This file is ${formatSize(size)}. A ${kind} can have ${formatSize(most)} at most. Make it smaller, then add it again.`
    : undefined
}
