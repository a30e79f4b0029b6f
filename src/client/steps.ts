import type { Answer } from "./answers.ts"
import type { Media, Post } from "./contract.ts"
import { WaitError } from "./errors.ts"
import { isRecord } from "./json.ts"
import type { Method } from "./method.ts"
import type { CallOptions, Settings } from "./options.ts"
import type { Upload } from "./upload.ts"
import { poll, type WaitOptions } from "./wait.ts"

export interface PostWaitOptions extends WaitOptions {
  /** What to wait for: that the post is published or failed, by default, or what a function says. */
  readonly until?: "ended" | ((post: Post) => boolean) | undefined
}

export interface UploadOptions extends CallOptions {
  /** What the file shows, for who can't see it. */
  readonly alt?: string | null | undefined
  /** The file's name; that of the file itself by default. */
  readonly name?: string | undefined
}

/** What the client does with posts beside single requests. */
export interface PostSteps {
  /** Reads a post again until it has ended, or is otherwise as wanted; a `WaitError` says that it took too long. */
  readonly wait: (id: string, options?: PostWaitOptions) => Promise<Post>
}

/** What the client does with files beside single requests. */
export interface MediaSteps {
  /** Uploads a file. It may take as long as it does, and is sent again after a 429 unless it is a stream. */
  readonly upload: (file: Upload, options?: UploadOptions) => Answer<Media>
  /** Reads a file again until it can be published; a `WaitError` says that it can't be, or took too long. */
  readonly waitUntilReady: (id: string, options?: WaitOptions) => Promise<Media>
}

export type Methods = Readonly<Record<string, Method>>

/** The rest of a post and of a file is for the caller alone. */
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
