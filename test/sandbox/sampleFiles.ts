/** A white pixel. */
export const png = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
    "base64"
  )
)

const withHead = (head: string, size: number) => {
  const bytes = Buffer.alloc(size)
  bytes.write(head, "latin1")
  return new Uint8Array(bytes)
}

/** Bytes that begin as the type does, and are none. */
export const gif = (size: number) => withHead("GIF89a", size)
export const mov = (size: number) => withHead("\0\0\0\u{14}ftypqt  ", size)
export const webm = (size: number) => withHead("\u{1a}E\u{df}\u{a3}\u{9f}B\u{82}\u{84}webm", size)
export const mp4 = (size: number) => withHead("\0\0\0\u{18}ftypmp42", size)
