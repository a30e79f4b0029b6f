import { Effect } from "effect"
import type { CredentialsUnreadable } from "../../domain/errors.ts"
import { forEachWithProgress } from "../../domain/progress.ts"

export interface Reencrypted<Id> {
  readonly reencrypted: number
  /** Rows with a value that no key decrypts. The value is kept, in case its key is found. */
  readonly unreadable: ReadonlyArray<Id>
}

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
