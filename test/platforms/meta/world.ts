import { Effect, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { type FileLink, noFiles, type SharedFile } from "../../../src/platforms/MediaFiles.ts"
import type { Account, Prepared, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { connected, targetId } from "../world.ts"

/** An account on a platform of containers. Its adapter is asked again while the platform makes something. */
export const containerAccount = Effect.fnUntraced(function* (
  platform: LivePlatform,
  filesUrl = "https://posts.example",
  bytes = new Uint8Array()
) {
  const setup = yield* connected(platform)
  const shared = yield* Ref.make<ReadonlyArray<FileLink & SharedFile>>([])
  const ended = yield* Ref.make<ReadonlyArray<string>>([])
  const account: Account = {
    ...setup.account,
    files: {
      ...noFiles,
      read: (_, range = { offset: 0, length: bytes.byteLength }) =>
        Stream.make(bytes.subarray(range.offset, range.offset + range.length)),
      share: (file) =>
        Ref.modify(shared, (before): readonly [FileLink, ReadonlyArray<FileLink & SharedFile>] => {
          const link = { id: `link-${before.length}`, url: `${filesUrl}/files/${before.length}` }
          return [link, [...before, { ...file, ...link }]]
        }),
      unshare: (ids) => Ref.update(ended, (before) => [...before, ...ids])
    }
  }
  const prepare = (more: Partial<PublishRequest> = {}): Effect.Effect<Prepared, { readonly _tag: string }> =>
    setup.adapter
      .prepare({ targetId, text: "Hello", settings: {}, ...more }, account)
      .pipe(
        Effect.catchTag("Preparing", ({ askAfter, begun }) =>
          Effect.andThen(TestClock.adjust(askAfter), prepare({ ...more, begun }))
        )
      )
  const send = (prepared: Prepared) => sendPost(setup.adapter, prepared, account)
  /** The number of posts of each container. More than one is a failure of the service. */
  const publications = Effect.map(setup.posts, (posts) =>
    Object.values(Object.groupBy(posts, ({ record }) => record?.cid ?? "")).map((same) => same?.length ?? 0)
  )
  return { ...setup, account, prepare, send, publications, shared, ended }
})
