import type { Answer } from "./answers.ts"
import type { Media, Post } from "./contract.ts"
import { WaitError } from "./errors.ts"
import { isRecord } from "./json.ts"
import type { Method } from "./method.ts"
import type { CallOptions, Settings } from "./options.ts"
import type { Upload } from "./upload.ts"
import { poll, type WaitOptions } from "./wait.ts"

export interface PostWaitOptions extends WaitOptions {
  /** Published or failed by default. */
  readonly until?: "ended" | ((post: Post) => boolean) | undefined
}

export interface UploadOptions extends CallOptions {
  readonly alt?: string | null | undefined
  /** The file's own name by default. */
  readonly name?: string | undefined
}

export interface PostSteps {
  /**
   * Polls until the post is published or failed, or until `until` is true. Throws a `WaitError` if that takes too long.
   */
  readonly wait: (id: string, options?: PostWaitOptions) => Promise<Post>
}

export interface MediaSteps {
  /** Uploads without a time limit. Repeats the upload after a 429, unless the file is a stream. */
  readonly upload: (file: Upload, options?: UploadOptions) => Answer<Media>
  /** Throws a `WaitError` if the file can't be published, or if that takes too long. */
  readonly waitUntilReady: (id: string, options?: WaitOptions) => Promise<Media>
}

export type Methods = Readonly<Record<string, Method>>

/** Checks only the status, because the client reads nothing else of a post or file. */
const hasStatus = (value: unknown): value is Post & Media => isRecord(value) && typeof value["status"] === "string"

const read = async (get: Method | undefined, id: string, signal: AbortSignal | undefined) => {
  const value: unknown = await get?.(id, { signal })
  if (!hasStatus(value)) throw new TypeError("The response has no status")
  return value
}

const ended = new Set(["published", "failed"])

export const postSteps = ({ get }: Methods, { environment }: Settings): PostSteps => ({
  wait: (id, { until = "ended", ...options } = {}) => {
    const isEnded = (post: Post) => (typeof until === "function" ? until(post) : ended.has(post.status))
    return poll((signal) => read(get, id, signal), isEnded, environment, options)
  }
})

export const mediaSteps = ({ get, upload }: Methods, { environment }: Settings) => ({
  upload: (file: Upload, { alt, name, ...options }: UploadOptions = {}) => upload?.({ file, alt, name }, options),
  waitUntilReady: async (id: string, options: WaitOptions = {}) => {
    const readFile = (signal: AbortSignal | undefined) => read(get, id, signal)
    const media = await poll(readFile, ({ status }) => status !== "processing", environment, options)
    if (media.status === "failed") throw new WaitError("The file can't be used", { reason: "failed", last: media })
    return media
  }
})
