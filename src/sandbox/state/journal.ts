import { Effect, FileSystem, Option, Schema, type Scope } from "effect"
import { SandboxEntry } from "./entry.ts"

/** Where the sandbox keeps what happened. */
export interface SandboxJournal {
  readonly entries: ReadonlyArray<SandboxEntry>
  readonly append: (entries: ReadonlyArray<SandboxEntry>) => Effect.Effect<void>
}

const Line = Schema.fromJsonString(SandboxEntry)
const decodeLine = Schema.decodeUnknownOption(Line)
const encodeLine = Schema.encodeSync(Line)

/** Keeps nothing. */
export const memoryJournal: SandboxJournal = { entries: [], append: () => Effect.void }

/**
 * Keeps a line for each entry in `sandbox.jsonl`. A process that is killed while it writes leaves the last line cut: that
 * entry was never answered, so it is left out, and cut off so that the next one starts on a line of its own.
 */
export const fileJournal = Effect.fnUntraced(function* (
  directory: string
): Effect.fn.Return<SandboxJournal, never, FileSystem.FileSystem | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const path = `${directory}/sandbox.jsonl`
  const open = Effect.gen(function* () {
    yield* files.makeDirectory(directory, { recursive: true })
    const bytes = (yield* files.exists(path)) ? yield* files.readFile(path) : new Uint8Array()
    const whole = bytes.lastIndexOf(10) + 1
    if (whole < bytes.length) yield* files.truncate(path, whole)
    const lines = new TextDecoder().decode(bytes.subarray(0, whole)).split("\n")
    // The tokens open nothing but the sandbox, but other users of the machine have no business there.
    const file = yield* files.open(path, { flag: "a", mode: 0o600 })
    return { lines, file }
  })
  const { file, lines } = yield* Effect.orDie(open)
  const encoder = new TextEncoder()
  return {
    entries: lines.flatMap((line) => Option.toArray(decodeLine(line))),
    append: (entries) =>
      entries.length === 0
        ? Effect.void
        : Effect.orDie(file.writeAll(encoder.encode(entries.map((entry) => `${encodeLine(entry)}\n`).join(""))))
  }
})
