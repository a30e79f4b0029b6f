import { Effect, FileSystem, Option, Schema, type Scope } from "effect"
import { Entry } from "./entry.ts"

/** Keeps the entries from which the state is rebuilt after a restart. */
export interface Journal {
  readonly entries: ReadonlyArray<Entry>
  readonly append: (entries: ReadonlyArray<Entry>) => Effect.Effect<void>
}

const Line = Schema.fromJsonString(Entry)
const decodeLine = Schema.decodeUnknownOption(Line)
const encodeLine = Schema.encodeSync(Line)

/** Keeps nothing. */
export const memoryJournal: Journal = { entries: [], append: () => Effect.void }

/**
 * Keeps entries in `sandbox.jsonl`, one on each line. A process that is killed while it writes leaves an incomplete last
 * line. The request of that entry got no response, so the line is truncated and the next entry starts on a line of its own.
 */
export const fileJournal = Effect.fnUntraced(function* (
  directory: string
): Effect.fn.Return<Journal, never, FileSystem.FileSystem | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const path = `${directory}/sandbox.jsonl`
  const open = Effect.gen(function* () {
    yield* files.makeDirectory(directory, { recursive: true })
    const bytes = (yield* files.exists(path)) ? yield* files.readFile(path) : new Uint8Array()
    const complete = bytes.lastIndexOf(10) + 1
    if (complete < bytes.length) yield* files.truncate(path, complete)
    const lines = new TextDecoder().decode(bytes.subarray(0, complete)).split("\n")
    // The tokens give access to nothing but the sandbox; even so, other users of the machine can't read them.
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
