import type { OneMedia } from "../../api/media/mediaBodies.ts"
import { readResponse } from "./client.ts"
import { reportConnection } from "./connection.ts"
import type { Outcome } from "./errors.ts"
import { leaveIfOutdated } from "./identity.ts"
import { readPause } from "./pause.ts"
import { query } from "./query.ts"

type OneMediaJson = typeof OneMedia.Encoded
export type MediaJson = OneMediaJson["data"]

export const oneMedia = (id: string) => query<OneMediaJson>(`/v1/media/${encodeURIComponent(id)}`)

export interface UploadOptions {
  /** Receives the fraction that has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

const path = "/v1/media"

/** Uploads a file. Never throws. Uses `XMLHttpRequest`, as `fetch` reports no progress. */
export const uploadMedia = (file: File, { onProgress, signal }: UploadOptions): Promise<Outcome<OneMediaJson>> =>
  new Promise((resolve) => {
    if (leaveIfOutdated()) {
      resolve({ ok: false, error: { _tag: "ConnectionError" } })
      return
    }
    const paused = readPause()
    if (paused !== undefined) {
      resolve({ ok: false, error: paused })
      return
    }
    const upload = new XMLHttpRequest()
    const fail = () => {
      if (!signal.aborted) reportConnection(false)
      resolve({ ok: false, error: { _tag: "ConnectionError" } })
    }
    upload.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total)
    })
    upload.addEventListener("load", () => {
      const headers = new Headers()
      for (const name of ["date", "ratelimit", "retry-after", "x-request-id"]) {
        const value = upload.getResponseHeader(name)
        if (value !== null) headers.set(name, value)
      }
      resolve(readResponse<OneMediaJson>(path, new Response(upload.responseText, { status: upload.status, headers })))
    })
    upload.addEventListener("error", fail)
    upload.addEventListener("abort", fail)
    signal.addEventListener("abort", () => {
      upload.abort()
    })
    const form = new FormData()
    form.set("file", file)
    upload.open("POST", path)
    upload.setRequestHeader("accept", "application/json")
    upload.send(form)
  })
