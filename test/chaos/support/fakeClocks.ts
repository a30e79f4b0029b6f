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

/** A fake wall clock, by libfaketime, of the processes that run with its environment. */
export interface FakeClock {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  /** Sets it ahead of true time, or behind where `seconds` is negative. Processes notice within a second. */
  readonly set: (seconds: number) => Effect.Effect<void>
}

export const makeFakeClocks = Effect.fn("makeFakeClocks")(function* (directory: string, names: ReadonlyArray<string>) {
  const library = yield* findLibrary
  // The directory has to be accessible, because PostgreSQL may run as another user.
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

/** How far a clock may jump behind and ahead of true time, in seconds. */
export type JumpRange = readonly [behind: number, ahead: number]

/**
 * Repeatedly sets a random clock wrong, or corrects it, every second or two. The database's clock and a replica's are
 * never wrong together: the service goes by the earlier of the two, so it could not detect that both are ahead.
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
