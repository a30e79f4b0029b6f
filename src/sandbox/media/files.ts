export interface SandboxFile {
  readonly bytes: Uint8Array
  readonly contentType: string
}

export const makeFiles = (maxBytes: number) => {
  const files = new Map<string, SandboxFile>()
  let size = 0
  const remove = (id: string) => {
    size -= files.get(id)?.bytes.byteLength ?? 0
    files.delete(id)
  }
  return {
    put: (id: string, file: SandboxFile) => {
      remove(id)
      if (file.bytes.byteLength > maxBytes) return
      for (const oldest of files.keys()) {
        if (size + file.bytes.byteLength <= maxBytes) break
        remove(oldest)
      }
      files.set(id, file)
      size += file.bytes.byteLength
    },
    get: (id: string) => files.get(id),
    remove
  }
}

export type Files = ReturnType<typeof makeFiles>

export const keepNewest = <A>(values: Map<string, A>, most: number, id: string, value: A) => {
  const [oldest] = values.keys()
  if (values.size >= most && oldest !== undefined) values.delete(oldest)
  values.set(id, value)
}

/** Matroska's files begin alike, but name another kind (DocType). */
const isWebm = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 64)).includes("webm", 0, "latin1")

/** By the first bytes; undefined if no platform accepts the type. */
export const sniff = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  if (head.startsWith("\u{ff}\u{d8}\u{ff}")) return "image/jpeg"
  if (head.startsWith("\u{89}PNG\r\n\u{1a}\n")) return "image/png"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  if (/^RIFF[^]{4}WEBP/.test(head)) return "image/webp"
  if (/^[^]{4}ftypqt/.test(head)) return "video/quicktime"
  if (head.startsWith("\u{1a}E\u{df}\u{a3}")) return isWebm(bytes) ? "video/webm" : undefined
  return /^[^]{4}ftyp/.test(head) ? "video/mp4" : undefined
}
