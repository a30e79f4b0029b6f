import { Effect } from "effect"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import { forEachWithProgress } from "../../domain/progress.ts"

/**
 * Encrypts each item with the current key, and returns how many they were. One that no key decrypts keeps no other from it: the
 * error comes last.
 */
export const reencryptEach = Effect.fnUntraced(function* <A>(
  unit: string,
  items: ReadonlyArray<A>,
  reencrypt: (item: A) => Effect.Effect<void, CredentialsUnreadable | DatabaseUnavailable>
) {
  const failures: Array<CredentialsUnreadable> = []
  yield* forEachWithProgress({ title: "Re-encrypting", unit }, items, (item) =>
    Effect.catchTag(reencrypt(item), "CredentialsUnreadable", (error) => Effect.sync(() => void failures.push(error)))
  )
  const [failure] = failures
  return failure === undefined ? items.length : yield* failure
})
