import { Duration, Effect, Option, Schema } from "effect"
import { Alt } from "../../api/media/mediaBodies.ts"
import type { LibraryFile } from "../../domain/media/libraryFile.ts"
import { maxAltLength, MediaStatus, MediaType } from "../../domain/media/media.ts"
import { MediaId } from "../../domain/ids.ts"
import { hasScope } from "../../domain/people/apiKey.ts"
import { aside } from "../aside.ts"
import { excerptOf } from "../bounds.ts"
import { FileSource, uploadOf } from "../fileSource.ts"
import { messageResult } from "../sentences.ts"
import { type Call, makeTool } from "../tool.ts"

const input = Schema.Struct({
  url: FileSource,
  alt: Alt.check(Schema.isPattern(/\S/, { expected: "a text that is not blank" })).annotateKey({
    description: `Describes the file to people who can't see it: up to ${maxAltLength.toLocaleString("en")} characters; X takes 1,000.`
  }),
  wait: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Waits up to 20 seconds until the file is ready; true by default."
  })
})

const output = Schema.Struct({
  id: MediaId,
  status: MediaStatus,
  type: Schema.NullOr(MediaType),
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  error_code: Schema.NullOr(Schema.String),
  error_message: Schema.NullOr(Schema.String),
  message: messageResult
})

const sentences: Readonly<Record<LibraryFile["status"], string>> = {
  ready: "The file is ready; name its id in `media` of create_post.",
  processing: "The file is still being fetched or read. Drafts may have it; a post is scheduled once it is ready.",
  failed: "The file can't be used; error_code and error_message tell why."
}

/** Twenty seconds in total. These requests count toward no rate limit. */
const pauses = [0.5, 0.5, 1, 1, 2, 2, 3, 5, 5].map(Duration.seconds)

const readAgain = (id: LibraryFile["id"], call: Call) =>
  aside(
    call,
    Effect.map(call.contract.media.get({ params: { id } }), ({ data }) => Option.some(data)),
    Option.none
  )

/**
 * Polls until the file is processed, unless the key may not read files. Stops if a poll fails: after a revocation, each
 * request would count as a wrong key.
 */
const awaitFile = Effect.fnUntraced(function* (file: LibraryFile, call: Call) {
  let latest = file
  if (!hasScope(call.agent.holder.scopes, "posts:read")) return latest
  for (const pause of pauses) {
    if (latest.status !== "processing") break
    yield* Effect.sleep(pause)
    const found = yield* readAgain(file.id, call)
    if (Option.isNone(found)) break
    latest = found.value
  }
  return latest
})

export const addMedia = makeTool({
  name: "add_media",
  title: "Add a file",
  description:
    "Use this to add an image, a GIF or a video to the library, for a post: from a public https address, or as a data: URL. The service fetches an address, so send none that holds a secret. Each call adds a file.",
  scopes: ["media:write"],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input,
  output,
  run: Effect.fnUntraced(function* ({ alt, url, wait = true }, call) {
    const { media } = call.contract
    const { body } = yield* Option.match(uploadOf(url, alt), {
      onNone: () => media.fromUrl({ payload: { url, alt } }),
      onSome: (payload) => media.upload({ payload })
    })
    const file = wait ? yield* awaitFile(body.data, call) : body.data
    return {
      id: file.id,
      status: file.status,
      type: file.type,
      width: file.width,
      height: file.height,
      error_code: file.error?.code ?? null,
      error_message: file.error === null ? null : excerptOf(file.error.message, 500),
      message: sentences[file.status]
    }
  })
})
