/** A file's bytes, its path, or a function that returns the bytes and is called for each attempt. */
export type Upload = Blob | ReadableStream<Uint8Array> | FilePath | (() => Source | Promise<Source>)

type Source = Blob | ReadableStream<Uint8Array>

export interface FilePath {
  readonly path: string | URL
}

export interface UploadBody {
  readonly file: Upload
  readonly name?: string | undefined
  readonly alt?: string | null | undefined
}

export interface SentBody {
  readonly body: string | FormData | ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
  readonly duplex?: "half"
}

interface FileSystem {
  readonly openAsBlob: (path: string | URL) => Promise<Blob>
}

interface NodeProcess {
  readonly getBuiltinModule?: (name: "node:fs") => FileSystem
}

/** Loads Node's module at run time, so that bundlers for browsers do not look for it. */
const openFile = (path: string | URL): Promise<Blob> => {
  const { process }: { readonly process?: NodeProcess } = globalThis
  const files = process?.getBuiltinModule?.("node:fs")
  if (files === undefined) throw new TypeError("A file's path is for Node alone, from 20.16 on")
  return files.openAsBlob(path)
}

export const isRepeatable = ({ file }: UploadBody): boolean => !(file instanceof ReadableStream)

const escapeName = (name: string) => name.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character))

/** Writes the form's parts, because `fetch` can't send a stream inside a form. */
async function* writeForm(
  file: ReadableStream<Uint8Array>,
  { alt, name }: UploadBody,
  boundary: string
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder()
  const part = (head: string) => encoder.encode(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`)
  if (alt != null) yield* [part('name="alt"'), encoder.encode(`${alt}\r\n`)]
  yield part(`name="file"; filename="${escapeName(name ?? "file")}"\r\nContent-Type: application/octet-stream`)
  for await (const chunk of file) yield chunk
  yield encoder.encode(`\r\n--${boundary}--\r\n`)
  return undefined
}

const streamOf = (chunks: AsyncGenerator<Uint8Array, undefined>) =>
  new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await chunks.return(undefined))
  })

export const formOf = async (upload: UploadBody): Promise<SentBody> => {
  const { alt, file, name } = upload
  const source = typeof file === "function" ? await file() : "path" in file ? await openFile(file.path) : file
  if (source instanceof ReadableStream) {
    const boundary = crypto.randomUUID()
    return {
      body: streamOf(writeForm(source, upload, boundary)),
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      duplex: "half"
    }
  }
  const form = new FormData()
  // The alt text comes first, so that the service has it before the file's bytes. The bytes tell the file's type.
  if (alt != null) form.set("alt", alt)
  form.set("file", source, name ?? ("name" in source && typeof source.name === "string" ? source.name : "file"))
  return { body: form }
}
