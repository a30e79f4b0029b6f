import { useEffect, useRef, useState } from "preact/hooks"
import { newIdempotencyKey } from "../../api/client.ts"
import { describeFailure } from "../../api/errors.ts"
import { type MediaJson, uploadMedia } from "../../api/media.ts"
import { refuseFile } from "./refuseFile.ts"

export interface Upload {
  readonly key: string
  /** The key of its part. */
  readonly part: string
  readonly name: string
  /** A local preview; undefined if the browser can't show the file. */
  readonly preview: string | undefined
  /** From 0 to 1. */
  readonly progress: number
  readonly error: string | undefined
  /** Undefined if a retry can't help. */
  readonly retry: (() => void) | undefined
  readonly cancel: () => void
}

export interface Uploads {
  readonly running: ReadonlyArray<Upload>
  readonly add: (files: Iterable<File>, part: string) => void
  /** By file id. */
  readonly previews: ReadonlyMap<string, string>
}

/** Codes of files that the service will never accept. */
const refusals: ReadonlySet<string> = new Set(["media_unsupported", "payload_too_large"])

/** Uploads files one after the other. */
export const useUploads = (onUploaded: (file: MediaJson, part: string) => void): Uploads => {
  const [running, setRunning] = useState<ReadonlyArray<Upload>>([])
  const previews = useRef(new Map<string, string>())
  /** The browser keeps these URLs until they are revoked. */
  const pictures = useRef(new Set<string>())
  const queue = useRef<Promise<void>>(Promise.resolve())
  const done = useRef(onUploaded)
  done.current = onUploaded
  const end = useRef(new AbortController())
  useEffect(
    () => () => {
      end.current.abort()
      for (const url of pictures.current) URL.revokeObjectURL(url)
    },
    []
  )

  const change = (key: string, part: Partial<Upload>) => {
    setRunning((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)))
  }
  const drop = (key: string) => {
    setRunning((all) => all.filter((one) => one.key !== key))
  }

  const start = (file: File, part: string) => {
    const key = newIdempotencyKey()
    const controller = new AbortController()
    const signal = AbortSignal.any([controller.signal, end.current.signal])
    const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined
    if (preview !== undefined) pictures.current.add(preview)
    const send = async () => {
      if (signal.aborted) return
      const outcome = await uploadMedia(file, {
        signal,
        onProgress: (progress) => {
          change(key, { progress })
        }
      })
      if (signal.aborted) return
      if (!outcome.ok) {
        const isRefused = outcome.error._tag === "ApiError" && refusals.has(outcome.error.code)
        const again = isRefused ? { retry: undefined } : {}
        change(key, { error: describeFailure(outcome.error), progress: 0, ...again })
        return
      }
      if (preview !== undefined) previews.current.set(outcome.data.data.id, preview)
      drop(key)
      done.current(outcome.data.data, part)
    }
    const enqueue = () => {
      queue.current = queue.current.then(send)
    }
    const refusal = refuseFile(file)
    const upload: Upload = {
      key,
      part,
      name: file.name,
      preview,
      progress: 0,
      error: refusal,
      retry:
        refusal === undefined
          ? () => {
              change(key, { error: undefined })
              enqueue()
            }
          : undefined,
      cancel: () => {
        controller.abort()
        drop(key)
        if (preview === undefined) return
        pictures.current.delete(preview)
        URL.revokeObjectURL(preview)
      }
    }
    setRunning((all) => [...all, upload])
    if (refusal === undefined) enqueue()
  }

  return {
    running,
    add: (files, part) => {
      for (const file of files) start(file, part)
    },
    previews: previews.current
  }
}
