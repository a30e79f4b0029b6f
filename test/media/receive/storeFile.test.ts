import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { scopeAuthority } from "../../../src/domain/people/authority.ts"
import { MediaLibrary } from "../../../src/media/MediaLibrary.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { makeMember } from "../../support/http/team.ts"
import { storedLibraryLayer } from "../mediaWorld.ts"
import { plainJpeg } from "../sampleFiles.ts"

layer(storedLibraryLayer, { excludeTestServices: true })("storeFile", (it) => {
  it.effect("No more of a file is received than its type may have, whatever its sender goes on to send", () =>
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace([])
      const roomy = yield* Layer.build(Layer.fresh(MediaLibrary.layer(1e9)))
      const { upload } = Context.get(roomy, MediaLibrary)
      const jpeg = yield* Effect.promise(plainJpeg)
      let received = 0
      const endless = Stream.map(Stream.forever(Stream.make(new Uint8Array(1_000_000))), (chunk) => {
        received += chunk.length
        return chunk
      })
      const bytes = Stream.take(Stream.concat(Stream.make(new Uint8Array(jpeg)), endless), 100)
      const { id } = yield* makeMember(workspaceId)
      const by = scopeAuthority({ author: { type: "user", id }, workspaceId }, "media:write")
      const refused = yield* Effect.flip(upload(by, { bytes, declaredSize: undefined, alt: Effect.succeed(null) }))
      assert.strictEqual(refused._tag, "MediaTooLarge")
      assert.isAtMost(received, 31_000_000)
    })
  )
})
