import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { newIdempotencyKey } from "../../api/client.ts"
import { describeFailure } from "../../api/errors.ts"
import { uploadMedia } from "../../api/media.ts"
import type { Action } from "./composing.ts"
import type { Upload } from "./composingState.ts"
import { refuseFile } from "./refuseFile.ts"

interface Sending {
  readonly file: File
  /** The browser keeps this URL until it is revoked. */
  readonly preview: string | undefined
  readonly controller: AbortController
}

/** Error codes of files that the service will never accept. */
const refusals: ReadonlySet<string> = new Set(["media_unsupported", "payload_too_large"])

const end = ({ controller, preview }: Sending) => {
  controller.abort()
  if (preview !== undefined) URL.revokeObjectURL(preview)
}

/** Holds each file until it is uploaded or canceled. */
const useFiles = (uploads: ReadonlyArray<Upload>) => {
  const files = useRef(new Map<string, Sending>())
  /** The previews of uploaded files, by file id. */
  const pictures = useRef(new Map<string, string>())
  useLayoutEffect(() => {
    for (const [key, one] of files.current) {
      if (uploads.some((upload) => upload.key === key)) continue
      files.current.delete(key)
      end(one)
    }
  }, [uploads])
  useEffect(
    () => () => {
      for (const one of files.current.values()) end(one)
      for (const url of pictures.current.values()) URL.revokeObjectURL(url)
    },
    []
  )
  return { files: files.current, pictures: pictures.current }
}

/** One at a time. */
export const useUploads = (uploads: ReadonlyArray<Upload>, dispatch: (action: Action) => unknown) => {
  const { files, pictures } = useFiles(uploads)
  const queue = useRef(Promise.resolve())
  const send = async (key: string) => {
    const one = files.get(key)
    if (one === undefined) return
    const { file, preview } = one
    const { signal } = one.controller
    const onProgress = (progress: number) => dispatch({ type: "uploading", key, change: { progress } })
    const outcome = signal.aborted ? undefined : await uploadMedia(file, { signal, onProgress })
    if (outcome === undefined || signal.aborted) return
    if (outcome.ok) {
      const { data } = outcome.data
      files.delete(key)
      if (preview !== undefined) pictures.set(data.id, preview)
      dispatch({ type: "uploaded", key, file: data })
    } else {
      const canRetry = outcome.error._tag !== "ApiError" || !refusals.has(outcome.error.code)
      dispatch({ type: "uploading", key, change: { error: describeFailure(outcome.error), progress: 0, canRetry } })
    }
  }
  const enqueue = (key: string) => {
    queue.current = queue.current.then(() => send(key))
  }
  const start = (file: File, part: string) => {
    const key = newIdempotencyKey()
    const error = refuseFile(file)
    const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined
    files.set(key, { file, preview, controller: new AbortController() })
    const upload = { key, part, name: file.name, preview, progress: 0, error, canRetry: error === undefined }
    dispatch({ type: "upload", upload })
    if (error === undefined) enqueue(key)
  }
  return {
    pictures,
    addFiles: (added: Iterable<File>, part: string) => {
      for (const file of added) start(file, part)
    },
    retry: (key: string) => {
      dispatch({ type: "uploading", key, change: { error: undefined } })
      enqueue(key)
    }
  }
}
