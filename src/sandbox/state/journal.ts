import { Effect, FileSystem, Option, Schema, type Scope } from "effect"
import { Entry } from "./entry.ts"

export interface Journal {
  readonly entries: ReadonlyArray<Entry>
  readonly append: (entries: ReadonlyArray<Entry>) => Effect.Effect<void>
}

const Line = Schema.fromJsonString(Entry)
const decodeLine = Schema.decodeUnknownOption(Line)
const encodeLine = Schema.encodeSync(Line)

export const memoryJournal: Journal = { entries: [], append: () => Effect.void }

const journalPath = (directory: string): string => `${directory}/sandbox.jsonl`

const decodeLines = (text: string): ReadonlyArray<Entry> =>
  text.split("\n").flatMap((line) => Option.toArray(decodeLine(line)))

/** A running service may append at the same time. Empty without a journal. */
export const readEntries = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files
    .readFileString(journalPath(directory))
    .pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("")))
  return decodeLines(text)
})

/**
 * One entry per line. A kill during a write leaves an incomplete last line, which is cut off: its request got no
 * response.
 */
export const fileJournal = Effect.fnUntraced(function* (
  directory: string
): Effect.fn.Return<Journal, never, FileSystem.FileSystem | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const path = journalPath(directory)
  const open = Effect.gen(function* () {
    yield* files.makeDirectory(directory, { recursive: true })
    const bytes = (yield* files.exists(path)) ? yield* files.readFile(path) : new Uint8Array()
    const complete = bytes.lastIndexOf(10) + 1
    if (complete < bytes.length) yield* files.truncate(path, complete)
    const entries = decodeLines(new TextDecoder().decode(bytes.subarray(0, complete)))
    // Other users of the machine can't read the tokens, which work only in the sandbox.
    const file = yield* files.open(path, { flag: "a", mode: 0o600 })
    return { entries, file }
  })
  const { entries: stored, file } = yield* Effect.orDie(open)
  const encoder = new TextEncoder()
  return {
    entries: stored,
    append: (entries) =>
      entries.length === 0
        ? Effect.void
        : Effect.orDie(file.writeAll(encoder.encode(entries.map((entry) => `${encodeLine(entry)}\n`).join(""))))
  }
})
