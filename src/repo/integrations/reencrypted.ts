import { Effect } from "effect"
import type { CredentialsUnreadable } from "../../domain/errors.ts"
import { forEachWithProgress } from "../../domain/progress.ts"

/** What became of the rows whose values an older key had encrypted. */
export interface Reencrypted<Id> {
  /** Rows with nothing left that needs an older key. */
  readonly reencrypted: number
  /** Rows with a value that none of the keys decrypts. It stays as it is stored, for the day on which its key is found. */
  readonly unreadable: ReadonlyArray<Id>
}

/** Encrypts row after row again, and goes on after those that can't be decrypted. */
export const reencryptEach = Effect.fnUntraced(function* <Id, E, R>(
  unit: string,
  rows: ReadonlyArray<{ readonly id: Id }>,
  reencryptOne: (id: Id) => Effect.Effect<void, E | CredentialsUnreadable, R>
) {
  const unreadable: Array<Id> = []
  yield* forEachWithProgress({ title: "Re-encrypting", unit }, rows, ({ id }) =>
    Effect.catchTag(reencryptOne(id), "CredentialsUnreadable", () => Effect.sync(() => void unreadable.push(id)))
  )
  return { reencrypted: rows.length - unreadable.length, unreadable }
})
