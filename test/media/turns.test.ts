import { assert, layer } from "@effect/vitest"
import { Array as Arr, Duration, Effect, Layer } from "effect"
import sharp from "sharp"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import { makeLatest } from "../../src/media/process/lanes.ts"
import { mediaStepsLayer, takeSteps, takingAll } from "../../src/media/steps.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { innerServer } from "../outbound/innerServer.ts"
import { makeInterruptedClaim } from "../support/database/interruptedClaim.ts"
import { makeCaller, mediaServerLayer, until } from "./mediaWorld.ts"
import { plainJpeg } from "./sampleFiles.ts"

/** Few bytes, and more pixels than a small picture has. */
const largePng = () =>
  sharp({ create: { width: 2_100, height: 2_100, channels: 3, background: "#fff" } })
    .png()
    .toBuffer()

const statusOf = (caller: Effect.Success<ReturnType<typeof makeCaller>>, id: string) =>
  Effect.map(caller.call("GET", `/v1/media/${id}`), ({ body }) => String(body.data.status))

layer(mediaServerLayer, { excludeTestServices: true })("Turns of workspaces with media", (it) => {
  it.effect("A small picture is read while large ones of another workspace are, however many of them wait", () =>
    Effect.gen(function* () {
      const [flooding, other] = [yield* makeCaller(), yield* makeCaller()]
      const [large, small] = yield* Effect.promise(() => Promise.all([largePng(), plainJpeg()]))
      const files = yield* Effect.replicateEffect(flooding.upload(large), 5)
      const { id } = (yield* other.upload(small)).body.data
      const { read } = yield* MediaReader
      const hangs = MediaReader.of({
        read: (order, turn) => (order.contentType === "image/png" ? Effect.never : read(order, turn))
      })
      const steps = mediaStepsLayer.pipe(Layer.provide([Layer.succeed(MediaReader, hangs), Layer.mock(Outbound, {})]))
      yield* Layer.build(steps)
      yield* until(statusOf(other, id), (status) => status === "ready")
      for (const { body } of files) assert.strictEqual(yield* statusOf(flooding, body.data.id), "processing")
    })
  )

  it.effect("A file is fetched while slow servers of several other workspaces hold their fetches", () =>
    Effect.gen(function* () {
      const jpeg = yield* Effect.promise(plainJpeg)
      const { port, requests } = yield* innerServer((request, response) => {
        if (request.url === "/quick") response.end(jpeg)
      })
      const add = (caller: Effect.Success<ReturnType<typeof makeCaller>>, path: string) =>
        Effect.map(caller.call("POST", "/v1/media/from-url", { url: `http://127.0.0.1:${port}/${path}` }), ({ body }) =>
          String(body.data.id)
        )
      yield* Layer.build(Layer.provide(mediaStepsLayer, Outbound.layer({ loopback: true })))
      const slow = yield* Effect.replicateEffect(makeCaller(), 8)
      for (const caller of slow) for (const path of ["1", "2", "3"]) yield* add(caller, path)
      yield* until(
        Effect.sync(() => requests()),
        (count) => count === 8
      )
      const other = yield* makeCaller()
      const id = yield* add(other, "quick")
      yield* until(statusOf(other, id), (status) => status === "ready")
      assert.strictEqual(requests(), 9)
    })
  )

  it.effect("A large picture that can't be remembered any more is let go for a while, instead of taken again", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const { id } = (yield* caller.upload(yield* Effect.promise(largePng))).body.data
      const taken: Array<string> = []
      const large = {
        add: (one: string) => {
          if (taken.includes(one)) throw new Error("The picture was taken again")
          taken.push(one)
        },
        isFull: () => true,
        list: () => []
      }
      const steps = takeSteps({ kind: "Process", isSmall: true, served: makeLatest(), large })
      yield* Effect.provide(steps, Layer.mock(Outbound, {}))
      assert.include(taken, id)
      assert.strictEqual(yield* statusOf(caller, id), "processing")
    })
  )

  it.effect.each(["Process", "Fetch"] as const)(
    "A process that stops before it knows which file it claimed gives it back: %s",
    (kind) =>
      Effect.gen(function* () {
        const caller = yield* makeCaller()
        const { body } = yield* kind === "Process"
          ? Effect.flatMap(Effect.promise(plainJpeg), caller.upload)
          : caller.call("POST", "/v1/media/from-url", { url: "http://127.0.0.1:9/picture" })
        const repo = yield* Repo
        const { media } = repo
        const { holdResult, interrupt } = yield* makeInterruptedClaim
        const held = Repo.of({ ...repo, media: { ...media, claim: (...args) => holdResult(media.claim(...args)) } })
        const steps = takeSteps(takingAll(kind)).pipe(
          Effect.provide(Layer.mock(Outbound, {})),
          Effect.provideService(Repo, held)
        )
        yield* interrupt(yield* Effect.forkChild(steps))
        const claims = yield* Effect.replicateEffect(media.claim(kind, Duration.minutes(1), { served: [] }), 100)
        assert.include(
          Arr.getSomes(claims).map(({ id }) => String(id)),
          body.data.id
        )
      })
  )
})
