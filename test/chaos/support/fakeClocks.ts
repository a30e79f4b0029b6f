import { Effect, Random } from "effect"
import { existsSync } from "node:fs"
import { chmod, rename, writeFile } from "node:fs/promises"
import path from "node:path"

const places = [
  process.env["LIBFAKETIME"],
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib64/faketime/libfaketimeMT.so.1"
]

const findLibrary = Effect.suspend(() => {
  const found = places.find((place) => place !== undefined && existsSync(place))
  return found === undefined
    ? Effect.die(
        "libfaketime is missing: install it (Debian: libfaketime), or name its libfaketimeMT.so.1 in LIBFAKETIME"
      )
    : Effect.succeed(found)
})

/** A wall clock of one process, or of one server's processes, which can be set while they run. */
export interface FakeClock {
  readonly name: string
  /** What makes a process go by it. */
  readonly env: Readonly<Record<string, string>>
  /** Sets it ahead, or behind where `seconds` is negative. It is noticed within a second. */
  readonly set: (seconds: number) => Effect.Effect<void>
}

export const fakeClocks = Effect.fn("fakeClocks")(function* (directory: string, names: ReadonlyArray<string>) {
  const library = yield* findLibrary
  // PostgreSQL may run as another user.
  yield* Effect.promise(() => chmod(directory, 0o711))
  return yield* Effect.forEach(names, (name) =>
    Effect.gen(function* () {
      const file = path.join(directory, `clock of ${name}`)
      const set = (seconds: number) =>
        Effect.promise(async () => {
          await writeFile(`${file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 })
          await rename(`${file}.new`, file)
        })
      yield* set(0)
      const env = {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1"
      }
      return { name, env, set } satisfies FakeClock
    })
  )
})

/** From how far behind to how far ahead a clock may jump, in seconds. */
export type Reach = readonly [behind: number, ahead: number]

/**
 * Every second or two sets a clock wrong, or right where it is wrong, for ever. Never is the database's wrong together
 * with another: two of them ahead can't be told from the time.
 */
export const jumpNowAndThen = (
  database: FakeClock,
  replicas: ReadonlyArray<FakeClock>,
  reach: Reach,
  jumped: (name: string) => void
) =>
  Effect.gen(function* () {
    const wrong = new Set<FakeClock>()
    for (;;) {
      yield* Effect.sleep(yield* Random.nextIntBetween(1_000, 2_001))
      const clock = yield* Effect.orDie(Random.choice([database, ...replicas]))
      const others = clock === database ? replicas : [database]
      const right = wrong.has(clock)
      if (!right) {
        for (const other of others) {
          if (wrong.delete(other)) yield* other.set(0)
        }
        // The change of the others has to be noticed first.
        yield* Effect.sleep(1_200)
      }
      const seconds = right ? 0 : yield* Random.nextIntBetween(-reach[0], reach[1] + 1)
      yield* clock.set(seconds)
      if (right) wrong.delete(clock)
      else wrong.add(clock)
      jumped(clock.name)
    }
  })
