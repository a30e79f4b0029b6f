import { Effect, Random } from "effect"
import { existsSync } from "node:fs"
import { chmod, rename, writeFile } from "node:fs/promises"
import path from "node:path"

const libraryPaths = [
  process.env["LIBFAKETIME"],
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
  "/usr/lib64/faketime/libfaketimeMT.so.1"
]

const findLibrary = Effect.suspend(() => {
  const found = libraryPaths.find((file) => file !== undefined && existsSync(file))
  return found === undefined
    ? Effect.die(
        "libfaketime is missing: install it (Debian: libfaketime), or set LIBFAKETIME to the path of libfaketimeMT.so.1"
      )
    : Effect.succeed(found)
})

/** A fake wall clock, set through libfaketime. It applies to processes that run with its environment. */
export interface FakeClock {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock ahead of true time, or behind it if `seconds` is negative. Processes notice within a second. */
  readonly set: (seconds: number) => Effect.Effect<void>
}

export const makeFakeClocks = Effect.fn("makeFakeClocks")(function* (directory: string, names: ReadonlyArray<string>) {
  const library = yield* findLibrary
  // The directory must be accessible to other users, because PostgreSQL may run as one.
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

/** The most that a clock can be behind and ahead of true time, in seconds. */
export type JumpRange = readonly [behind: number, ahead: number]

/**
 * Sets a random clock wrong or right every second or two. The database's clock and a replica's clock are never wrong at
 * the same time: the service uses the earlier of the two, so it could not detect that both are ahead.
 */
export const jumpClocks = (
  database: FakeClock,
  replicas: ReadonlyArray<FakeClock>,
  range: JumpRange,
  onJump: (name: string) => void
) =>
  Effect.gen(function* () {
    const wrong = new Set<FakeClock>()
    for (;;) {
      yield* Effect.sleep(yield* Random.nextIntBetween(1_000, 2_001))
      const clock = yield* Effect.orDie(Random.choice([database, ...replicas]))
      const others = clock === database ? replicas : [database]
      const isWrong = wrong.has(clock)
      if (!isWrong) {
        for (const other of others) {
          if (wrong.delete(other)) yield* other.set(0)
        }
        // Processes notice a change within a second.
        yield* Effect.sleep(1_200)
      }
      const seconds = isWrong ? 0 : yield* Random.nextIntBetween(-range[0], range[1] + 1)
      yield* clock.set(seconds)
      if (isWrong) wrong.delete(clock)
      else wrong.add(clock)
      onJump(clock.name)
    }
  })
